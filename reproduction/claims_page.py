"""The ledger of claims as a page."""

from collections.abc import Iterable, Mapping, Sequence

from reproduction.claims import TITLES, Row
from reproduction.predictors import Predictor

HEAD = """---
hide-toc: true
---

# Claims on training

Every empirical claim of the paper on trained networks, and what our runs say. This page is made from the tables in
`results/`; the claims on geometry (section 4.2, appendices A and B) have [a page of their own](claims-geometry.md),
with a test each.

Accuracies are per cent of the test images, means over seeds; differences are those of runs with the same seed, with
half of their 95 % interval. That something is better *holds* where the whole interval is above 0, and *does not hold*
where it is below what a test set of 10,000 images can tell: one standard error of an accuracy, half a point at 50 to
70 %, a seventh at 98 %. Anything less is *not decided*, with the number of seeds, or of cells (a scheme in a
dimension with a mapping), that would decide it if means and spread stay as they are. The spread is that of all cells
of the schemes compared, about their means and what the seed does to all alike: three seeds of two cells say little of
it. Shares R² have their 95 % intervals by Fisher's z. A claim has a row for each network that it was run with: what
one says is of its budget. The paper's own is

```sh
python -m reproduction reproduce cifar100 --budget paper --ray ADDRESS   # ResNet-34, 200 epochs, 5 seeds: GPUs
python -m reproduction reproduce mnist --budget paper --workers 2
```

and what is told here is made from nothing by

```sh
python -m reproduction reproduce all --workers 2 --results results --figures docs/figures
python -m reproduction claims results -o docs/claims.md
```
"""
NUMBERS_HEAD = """
## Which number of a code predicts accuracy

A cell is a scheme in a dimension with a mapping, its accuracy the mean over seeds. Explained: the share of the
variance over cells that a line on the number does, with a 95 % interval by drawing schemes again. Held out: what
is left of it where the line goes through the other schemes alone. Classes are mapped as they come or at random,
unless said otherwise.
"""
NUMBER_COLUMNS = ("number", "explained", "held out")
COLUMNS = ("claim", "where", "our figures", "seeds", "budget", "verdict")


def page(ledger: Sequence[Row], predicted: Mapping[str, Sequence[Predictor]]) -> str:
    """The whole page as Markdown; `predicted` are, for each body of evidence by its name, the numbers of codes."""
    parts = [HEAD]
    for dataset, title in TITLES.items():
        own = [row for row in ledger if row["dataset"] == dataset]
        parts.append(f"\n## {title}\n\n{_table(COLUMNS, own)}")
    told = {name: numbers for name, numbers in predicted.items() if numbers}
    if told:
        parts.append(NUMBERS_HEAD)
    for name, numbers in told.items():
        parts.append(f"\n{name}, {numbers[0].cells} cells:\n\n{_table(NUMBER_COLUMNS, map(_told, numbers))}")
    return "".join(parts)


def _told(number: Predictor) -> Row:
    explained = f"{100 * number.r_squared:.0f} % [{100 * number.low:.0f}, {100 * number.high:.0f}]"
    held_out = f"{100 * number.held_out:.0f} %" if number.held_out > 0 else "nothing"
    return dict(zip(NUMBER_COLUMNS, (number.name, explained, held_out), strict=True))


def _table(columns: Sequence[str], own: Iterable[Row]) -> str:
    lines = [columns, tuple("---" for _ in columns), *(tuple(row[column] for column in columns) for row in own)]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)
