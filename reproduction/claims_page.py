"""The claims table as a page of the documentation."""

from collections.abc import Iterable, Mapping, Sequence

from reproduction.claims import Row
from reproduction.predictors import Predictor
from reproduction.results import TITLES

HEAD = """---
hide-toc: true
---

# Claims on training

Every empirical claim of the paper on trained networks, and what our runs say. This page is made from the tables in
`results/`; the claims on geometry (section 4.2, appendices A and B) have [a page of their own](claims-geometry.md),
with a test each.

Accuracies are per cent of the test images, means over seeds; differences are those of runs with the same seed, with
half of their 95 % interval. That something is better *holds* where the whole interval is above 0, and fails where it is
below what a test set of 10,000 images can tell: one standard error of an accuracy, half a point at 50 to 70 %, a
seventh at 98 %. Anything less is *not decided*, with the number of seeds, or of cells (a scheme in a dimension with a
mapping), that would decide it if means and spread stay as they are. The spread is that of all cells of the schemes
compared, about their means and what the seed does to all alike: three seeds of two cells say little of it. Shares R²
have their 95 % intervals by Fisher's z.

A claim has a row for each network that it was run with, and its verdict is about that network. A claim that fails with
a smaller network, fewer epochs or less data than the paper's is called *not at our scale*, with network, epochs and
data: it may hold at the paper's. Only a claim that fails at the paper's scale, or that needs no training, *does not
hold*. The paper's own runs are made by

```sh
python -m reproduction reproduce cifar100 --budget paper --ray ADDRESS   # ResNet-34, 200 epochs, 5 seeds: GPUs
python -m reproduction reproduce mnist --budget paper --workers 2
```

The runs of this page, and the page, are made by

```sh
python -m reproduction reproduce all --workers 2 --results results --figures docs/figures
python -m reproduction claims results -o docs/studies/claims.md
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


def claims_page(
    table: Sequence[Row], predictors: Mapping[str, Sequence[Predictor]]
) -> str:
    """Return the page as Markdown.

    Args:
        table: The rows of the claims table.
        predictors: Numbers of codes that predict accuracy, by dataset and network.
    """
    parts = [HEAD]
    for dataset, title in TITLES.items():
        rows = [row for row in table if row["dataset"] == dataset]
        parts.append(f"\n## {title}\n\n{_markdown(COLUMNS, rows)}")
    if any(predictors.values()):
        parts.append(NUMBERS_HEAD)
    for network, numbers in predictors.items():
        if numbers:
            rows = [_number_row(number) for number in numbers]
            parts.append(
                f"\n{network}, {numbers[0].cells} cells:\n\n{_markdown(NUMBER_COLUMNS, rows)}"
            )
    return "".join(parts)


def _number_row(number: Predictor) -> Row:
    interval = f"[{100 * number.low:.0f}, {100 * number.high:.0f}]"
    return {
        "number": number.name,
        "explained": f"{100 * number.r_squared:.0f} % {interval}",
        "held out": f"{100 * number.held_out:.0f} %"
        if number.held_out > 0
        else "nothing",
    }


def _markdown(columns: Sequence[str], rows: Iterable[Row]) -> str:
    lines = [list(columns), ["---" for _ in columns]]
    for row in rows:
        lines.append([row[column] for column in columns])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
