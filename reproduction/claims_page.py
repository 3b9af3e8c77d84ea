"""Write the page of the documentation with the table of claims."""

from collections.abc import Iterable, Mapping, Sequence

from reproduction.claims import Row
from reproduction.predictors import Predictor
from reproduction.results import TITLES

HEAD = """---
hide-toc: true
---

# Claims on training

This page tests every empirical claim of Lindström et al. (2024) on trained networks against our runs. It is generated
from the tables in `results/`. The claims on geometry (section 4.2, appendices A and B of the paper) have [a page of
their own](claims-geometry.md), with one test per claim.

Accuracies are in percent of the test images and are means over seeds. A difference is the mean difference of runs with
the same seed, followed by half of its 95% interval. A claim that one method is better *holds* if the whole interval is
above 0. It fails if the interval contains 0 or is below 0, and its upper end is below one standard error of an
accuracy on 10,000 test images (0.5 points at an accuracy of 50 to 70%, 0.14 points at 98%). Otherwise the claim is *not
decided*, and the table states how many seeds, or how many configurations, would decide it if means and spread stay the
same. A configuration is a combination of a scheme, a dimension and a mapping. The spread is estimated from all
configurations of the compared schemes, after the effects of configuration and seed are removed, because three seeds of
two configurations give a poor estimate. R² is the fraction of the variance of accuracy that a linear regression
explains; its 95% intervals are computed by Fisher's z-transform.

A claim has one row for each network on which it was tested, and the verdict applies to that network. If a claim fails
with a smaller network, fewer epochs or less data than the paper's, the verdict is *not at our scale* and names network,
epochs and data, because the claim may hold at the paper's scale. The verdict is *does not hold* only if the claim fails
at the paper's scale or needs no training. These commands make runs at the paper's scale:

```sh
python -m reproduction reproduce cifar100 --budget paper --ray ADDRESS   # ResNet-34, 200 epochs, 5 seeds: GPUs
python -m reproduction reproduce mnist --budget paper --workers 2
```

These commands make the runs of this page, and the page:

```sh
python -m reproduction reproduce all --workers 2 --results results --figures docs/figures
python -m reproduction claims results -o docs/studies/claims.md
```
"""
NUMBERS_HEAD = """
## Which statistic of a code predicts accuracy

These tables compare statistics of a code by how well they predict accuracy. The accuracy of a configuration is the mean
over seeds. *Explained* is R² of a linear regression of accuracy on the statistic over all configurations, with a 95%
interval by a bootstrap that resamples whole schemes. *Held out* is R² of predictions for new schemes: the accuracies of
each scheme are predicted by a regression that is fitted to all other schemes. If these predictions are no better than
the mean accuracy, the table says "nothing". Mappings are fixed or random unless stated otherwise.
"""
NUMBER_COLUMNS = ("statistic", "explained", "held out")
COLUMNS = ("claim", "where", "our figures", "seeds", "budget", "verdict")


def claims_page(
    table: Sequence[Row], predictors: Mapping[str, Sequence[Predictor]]
) -> str:
    """Return the page as Markdown.

    Args:
        table: Rows of the table of claims.
        predictors: For each dataset and network, by their names: statistics of codes that predict accuracy, best first.
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
                f"\n{network}, {numbers[0].cells} configurations:\n\n{_markdown(NUMBER_COLUMNS, rows)}"
            )
    return "".join(parts)


def _number_row(number: Predictor) -> Row:
    interval = f"[{100 * number.low:.0f}, {100 * number.high:.0f}]"
    return {
        "statistic": number.name,
        "explained": f"{100 * number.r_squared:.0f}% {interval}",
        "held out": f"{100 * number.held_out:.0f}%"
        if number.held_out > 0
        else "nothing",
    }


def _markdown(columns: Sequence[str], rows: Iterable[Row]) -> str:
    lines = [list(columns), ["---" for _ in columns]]
    for row in rows:
        lines.append([row[column] for column in columns])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
