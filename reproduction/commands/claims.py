"""Command `python -m reproduction claims`."""

from pathlib import Path

from protosphere.cli.arguments import Json, Output
from protosphere.cli.finished_runs import stored_records
from protosphere.cli.output import checked_output
from protosphere.cli.screen import print_answer
from protosphere.storage.files import replace_bytes
from reproduction.claims import Row, claims_table, predictors_by_network
from reproduction.claims_page import claims_page


def claims(results: Path, /, *, output: Output = None, json: Json = False) -> None:
    """Test the claims of Lindström et al. (2024) on trained networks with the results of runs.

    Args:
        results: Path of a folder with .csv tables of runs, of one such table, or of a store of runs.
        output: Path of a page to write (.md).
    """
    target = checked_output(output, (".md",))
    records = stored_records(results)
    table = claims_table(records)
    if target is not None:
        page = claims_page(table, predictors_by_network(records))
        replace_bytes(target, page.encode())
    lines: list[str] = []
    for row in table:
        lines += _lines_of(row)
    print_answer(table, lines, json=json)


def _lines_of(row: Row) -> tuple[str, str]:
    """Return two lines for a claim: the claim with its runs, and the verdict with its figures."""
    runs = ", ".join(filter(None, (row["dataset"], row["budget"])))
    figures = f" ({row['our figures']})" if row["our figures"] else ""
    return f"{runs}: {row['claim']}", f"    {row['verdict']}{figures}"
