"""Makers of the numbers of the study of many classes.

The study measures the accuracy of a linear map to fixed prototypes, most of which do not depend on the classes.

See `tools/numbers/__init__.py` for the meaning of maker and answer.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping

from tools.numbers.defaults import default_head
from tools.numbers.maker import STUDY, Answer, Maker
from tools.numbers.run import ROOT
from tools.numbers.tables import markdown

COMMAND = "python -m benchmarks.many_classes"
TABLE = "results/many_classes/linear.csv"

LEARNED = "learned layer"
MEANS = "class means as prototypes"
EMBEDDED = "class means by from_embeddings"
DEFAULT = "default head"
ALIGNED = "aligned head"

FEATURES = 128
"""Number of features of an example, which is also the dimension of class means."""


def measured() -> Answer:
    """Return mean accuracies in percent, by the number of classes, the last layer and the dimension."""
    found: dict[str, dict[str, dict[str, float]]] = {}
    with (ROOT / TABLE).open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            layers = found.setdefault(row["num_classes"], {})
            accuracies = layers.setdefault(row["last_layer"], {})
            accuracies[row["dim"]] = float(row["accuracy"])
    return found


def accuracy_table(answer: Answer) -> str:
    """Return a Markdown table of accuracies in percent, with a row for each number of classes.

    The last two columns list the accuracies in all dimensions n < K - 1 that were measured.
    """
    headings = [
        "classes",
        LEARNED,
        f"{MEANS}, n = {FEATURES}",
        "`ps.from_embeddings` of class means",
        "`PrototypeHead(K, dim=n)`",
    ]
    rows: list[list[str]] = []
    for num_classes, layers in answer.items():
        learned = layers[LEARNED][num_classes]
        means = layers[MEANS][str(FEATURES)]
        rows.append(
            [
                f"{int(num_classes):,}",
                f"{learned:.1f}",
                f"{means:.1f}",
                _by_dimension(layers[EMBEDDED], int(num_classes)),
                _by_dimension(layers[DEFAULT], int(num_classes)),
            ]
        )
    return markdown(headings, rows)


def _by_dimension(accuracies: Mapping[str, float], num_classes: int) -> str:
    """Return the accuracies in dimensions below `num_classes` - 1 as text."""
    return "; ".join(
        f"n = {dim}: {accuracy:.1f}"
        for dim, accuracy in accuracies.items()
        if int(dim) < num_classes - 1
    )


MAKERS = (
    Maker(
        "many_classes_accuracy",
        COMMAND,
        measured,
        {
            "table": accuracy_table,
            "default_2000": lambda answer: f"{answer['2000'][DEFAULT]['128']:.1f}",
            "learned_2000": lambda answer: f"{answer['2000'][LEARNED]['2000']:.1f}",
            "default_500": lambda answer: f"{answer['500'][DEFAULT]['32']:.1f}",
            "aligned_500": lambda answer: f"{answer['500'][ALIGNED]['32']:.1f}",
        },
        cost=STUDY,
        tables=(TABLE,),
        depends_on=(default_head(100, 99),),
        seeds=(0, 1, 2),
    ),
)
