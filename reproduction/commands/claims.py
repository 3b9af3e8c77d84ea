"""`protosphere claims`."""

from pathlib import Path

from protosphere.cli.arguments import Json, Output
from protosphere.cli.finished_runs import stored_records
from protosphere.cli.output import checked_output
from protosphere.cli.screen import print_answer
from protosphere.files import replace_bytes
from reproduction.claims import Row, judged, predicted
from reproduction.claims_page import page


def claims(results: Path, /, *, output: Output = None, json: Json = False) -> None:
    """What stored results say of each of the paper's claims on training.

    Args:
        results: A folder of .csv tables, one such table, or a store.
        output: A .md file to write.
    """
    target = checked_output(output, (".md",))
    records = stored_records(results)
    rows = judged(records)
    if target is not None:
        replace_bytes(target, page(rows, predicted(records)).encode())
    widest = max(len(row["verdict"]) for row in rows)
    print_answer(rows, (f"{row['verdict']:>{widest}}  {_said(row)}" for row in rows), json=json)


def _said(row: Row) -> str:
    studied = ", ".join(filter(None, (row["dataset"], row["budget"])))
    return f"{studied}: {row['claim']} ({row['our figures']})"
