"""Write the page of the documentation with the table of claims."""

from collections.abc import Iterable, Mapping, Sequence

from reproduction.claims import Row
from reproduction.findings import DOES_NOT, HOLDS, UNDECIDED
from reproduction.predictors import Predictor
from reproduction.results import TITLES
from reproduction.verdicts import NOT_AT_OUR_SCALE

TITLE = """---
hide-toc: true
---

# Claims on training

"""
HEAD = """
This page tests every claim of Lindström et al. (2024) about the accuracy of trained networks. The page
[Claims](claims-geometry.md) tests the claims on geometry.

Accuracies are in percent of the test images, and are means over seeds. The difference of two accuracies is the mean
over pairs of runs with the same seed, ± half of its 95% interval. If a claim says that one method is more accurate
than another, the verdict depends on the 95% interval of the difference:

- If the whole 95% interval of the difference is above 0, the claim *holds*.
- If the lower end of the 95% interval of the difference is at most 0 and the upper end is below the standard error of a
  single accuracy, the claim *fails*. If the method has an advantage, the advantage is then smaller than this standard
  error. With 10,000 test images, the standard error is 0.5 percentage points for accuracies of 50 to 70%, and 0.14
  percentage points for an accuracy of 98%.
- If the lower end of the 95% interval of the difference is at most 0 and the upper end is not below the standard error
  of a single accuracy, the claim is *not decided*. The table then states how many seeds, or how many configurations,
  would be enough to decide the claim, if the mean accuracies and their spread stay the same.

A *configuration* is a scheme in one dimension with one mapping of prototypes to classes. The 95% interval of the
difference of two accuracies needs an estimate of the random spread of accuracies. A few seeds of two configurations
give a poor estimate. Therefore we estimate the spread from all configurations of the schemes that a claim compares. To
do so, we first subtract two numbers from each accuracy: the mean of its configuration and the mean effect of its seed.

R² is the fraction of the variance of test accuracy that a linear regression of accuracy on the maximum cosine explains.
In the tables of claims, the 95% intervals of R² are computed by Fisher's z-transform.

If we tested a claim of the paper on several networks, the claim has one row for each network. If a claim fails, there
are two possible verdicts. The verdict is *not at our scale* if our experiment is smaller than the experiment of the
paper: a smaller network, fewer epochs or a smaller data set. Such a claim may still hold at the paper's scale. After
this verdict, the table names our network, our number of epochs and our data set. The verdict is *does not hold* in two
cases: if the claim fails at the paper's scale, or if the claim needs no training and fails. These commands make runs at
the scale of the paper:

```sh
python -m reproduction reproduce cifar100 --budget paper --ray ADDRESS   # ResNet-34, 200 epochs, 5 seeds: GPUs
python -m reproduction reproduce mnist --budget paper --workers 2
```

The first of the next two commands makes the runs of this page, and the second command writes the page:

```sh
python -m reproduction reproduce all --workers 2 --results results --figures docs/figures
python -m reproduction claims results -o docs/studies/claims.md
```
"""
NUMBERS_HEAD = """
## Which statistic of a code predicts accuracy

The following tables show how well statistics of a code predict the test accuracy of networks that are trained with the
code. Each row is a linear regression of accuracy on one statistic. A configuration is a scheme in one dimension with
one mapping of prototypes to classes, and its accuracy is the mean over seeds. The column *explained* has R² (the
fraction of the variance of accuracy that the regression explains) over all configurations. The brackets in this column
contain the 95% interval of R², from a bootstrap over schemes. The column *held out* has R² of predictions for new
schemes: the accuracies of each scheme are predicted by a regression that is fitted to all other schemes. If these
predictions are no better than the mean accuracy, the column says "nothing".

The line above each table names the data set, the [network](../data.md#networks) and the number of epochs. The word
"features" means that the networks were trained on features of the images. The mappings of prototypes to classes are
fixed or random. If the line above a table says "with aligned and opposed mappings", the table has these mappings too.

Two statistics need a definition. The *log energy* is the logarithm of the [energy](../glossary.md#energy) of the code.
The *agreement with the classes* is the correlation, over all pairs of classes, of the cosine of their prototypes with
the cosine of their class means, after the mean of all class means is subtracted.
"""
NUMBER_COLUMNS = ("statistic", "explained", "held out")
COLUMNS = ("claim", "where", "our figures", "seeds", "budget", "verdict")
VERDICTS = (HOLDS, NOT_AT_OUR_SCALE, UNDECIDED, DOES_NOT)
"""How the texts of the verdicts begin."""


def claims_page(
    table: Sequence[Row], predictors: Mapping[str, Sequence[Predictor]]
) -> str:
    """Return the page as Markdown.

    Args:
        table: Rows of the table of claims.
        predictors: Statistics of codes that predict accuracy, best first. The keys name the dataset and the network.
    """
    parts = [TITLE, conclusion(table), HEAD]
    for dataset, title in TITLES.items():
        rows = [row for row in table if row["dataset"] == dataset]
        parts.append(f"\n## {title}\n\n{_markdown(COLUMNS, rows)}")
    if any(predictors.values()):
        parts.append(NUMBERS_HEAD)
    for network, numbers in predictors.items():
        if numbers:
            rows = [_number_row(number) for number in numbers]
            parts.append(
                f"\nThe next table predicts accuracy from one statistic of the code, for the {numbers[0].cells} "
                f"configurations with these settings: {network}.\n\n"
                f"{_markdown(NUMBER_COLUMNS, rows)}"
            )
    return "".join(parts)


def conclusion(table: Sequence[Row]) -> str:
    """Return the first paragraph of the page, which counts the tests with each verdict."""
    counts = {
        verdict: sum(row["verdict"].startswith(verdict) for row in table)
        for verdict in VERDICTS
    }
    counted = [
        f"*{verdict}* for {count} tests" for verdict, count in counts.items() if count
    ]
    listed = " and ".join(filter(None, [", ".join(counted[:-1]), *counted[-1:]]))
    return (
        f"**We made {sum(counts.values())} tests of the paper's claims on training. "
        f"The verdict is\n{listed}.**\n"
    )


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
