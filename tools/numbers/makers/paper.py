"""Makers of the numbers of the reproduced experiments of the paper.

A cell is a list [mean, half of its 95% interval]. See `tools/numbers/__init__.py` for the meaning of maker and answer.
"""

from __future__ import annotations

from tools.numbers.defaults import named_preset
from tools.numbers.maker import STUDY, Answer, Maker
from tools.numbers.studies import Cell, paired
from tools.numbers.tables import markdown

HOURS = "python -m reproduction reproduce all --workers 2 --results results --figures docs/figures"
LEARNED = "learned layer"


def hours() -> Answer:
    """Return [mean accuracy, half of its 95% interval] on CIFAR-100, by method and dimension."""
    found = paired("cifar100-hours.csv", LEARNED)
    return {
        method: {dim: cell[:2] for dim, cell in cells.items()}
        for method, cells in found.items()
    }


def hours_table(answer: Answer) -> str:
    """Return a Markdown table of accuracies, with a row for each scheme and mapping and a column for each dimension."""
    dims = sorted({dim for cells in answer.values() for dim in cells}, key=int)
    rows: list[list[str]] = []
    for method in sorted(answer):
        scheme, _, rest = method.partition(", ")
        mapping = rest.split(", ")[0]
        rows.append(
            [scheme, mapping, *(hours_text(answer[method].get(dim)) for dim in dims)]
        )
    return markdown(["scheme", "mapping", *(f"n = {dim}" for dim in dims)], rows)


def hours_text(cell: Cell | None) -> str:
    """Return the mean of a cell and half of its 95% interval as text; an empty text for None."""
    return "" if cell is None else f"{cell[0]:.1f} ± {cell[1]:.1f}"


MAKERS = (
    Maker(
        "cifar100_hours",
        HOURS,
        hours,
        {"table": hours_table},
        cost=STUDY,
        depends_on=(named_preset("lindstrom", 100, 64),),
        tables=("results/cifar100-hours.csv",),
        seeds=tuple(range(7)),
    ),
)
