"""`protosphere claims`."""

from pathlib import Path

from protosphere.cli.arguments import Json, Output
from protosphere.cli.finished_runs import stored_records
from protosphere.cli.output import checked_output
from protosphere.cli.screen import print_answer
from protosphere.files import replace_bytes
from protosphere.paper.claims import judged, predicted
from protosphere.paper.ledger import page


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
    lines = (f"{row['verdict']:>27s}  {row['dataset']}: {row['claim']} ({row['our figures']})" for row in rows)
    print_answer(rows, lines, json=json)
