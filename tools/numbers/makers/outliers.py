"""Makers of the numbers of the study of out-of-distribution scores.

See `tools/numbers/__init__.py` for the meaning of maker and answer.
"""

from __future__ import annotations

import csv
from functools import partial
from statistics import fmean

from tools.numbers.defaults import default_head, default_score
from tools.numbers.maker import STUDY, Answer, Maker
from tools.numbers.run import ROOT
from tools.numbers.tables import markdown

COMMAND = "python -m benchmarks.ood"
TABLE = "results/ood/scores.csv"

SCORES = {
    "prototype head, `energy`": "prototype head: energy",
    "prototype head, `max_cosine`": "prototype head: max_cosine",
    "prototype head, `margin`": "prototype head: margin",
    "learned layer, max softmax": "learned layer: max softmax",
    "learned layer, energy": "learned layer: energy",
    "learned layer, 10 nearest neighbors": "learned layer: nearest neighbors of features",
}
"""Names of scores in the table, by their names on the page."""

TASKS = (
    ("digits", "two held-out digits"),
    ("CLINC150 intents", "out-of-scope sentences"),
    ("CIFAR-100", "CIFAR-10 images"),
    ("CIFAR-100", "MNIST images"),
)
"""Known classes and unknown inputs, by their names in the table."""


def measured() -> Answer:
    """Return [mean, half of its 95% interval], by measure, score and kind of unknown inputs."""
    found: dict[str, dict[str, dict[str, list[float]]]] = {}
    with (ROOT / TABLE).open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            cells = found.setdefault(row["measure"], {}).setdefault(row["score"], {})
            cells[row["unknown"]] = [float(row["mean"]), float(row["half_interval"])]
    return found


def score_table(answer: Answer, measure: str) -> str:
    """Return a Markdown table of one measure, such as "auroc".

    The table has a row for each score and a column for each kind of unknown inputs. The last column is the mean of the
    other columns.
    """
    rows = [["unknown inputs:", *(unknown for _, unknown in TASKS), "mean"]]
    for label, score in SCORES.items():
        cells = [answer[measure][score][unknown] for _, unknown in TASKS]
        texts = [f"{mean:.1f} ± {half:.1f}" for mean, half in cells]
        rows.append([label, *texts, f"{fmean(mean for mean, _ in cells):.1f}"])
    return markdown(["known classes:", *(known for known, _ in TASKS), " "], rows)


def auroc_of_sentences(answer: Answer, score: str) -> str:
    """Return the AUROC of a score for out-of-scope sentences, in percent."""
    mean, _ = answer["auroc"][score]["out-of-scope sentences"]
    return f"{mean:.1f}%"


MAKERS = (
    Maker(
        "ood",
        COMMAND,
        measured,
        {
            "auroc": partial(score_table, measure="auroc"),
            "rejected": partial(score_table, measure="rejected_at_tpr95"),
            "sentences_energy": partial(
                auroc_of_sentences, score="prototype head: energy"
            ),
            "sentences_learned_softmax": partial(
                auroc_of_sentences, score="learned layer: max softmax"
            ),
            "sentences_learned_energy": partial(
                auroc_of_sentences, score="learned layer: energy"
            ),
        },
        cost=STUDY,
        tables=(TABLE,),
        depends_on=(default_head(8, 7), default_score(8, 7), default_head(100, 99)),
        seeds=tuple(range(6)),
    ),
)
