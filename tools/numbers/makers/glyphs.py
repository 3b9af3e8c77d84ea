"""Makers of the numbers of the benchmark on rendered characters.

The summary is the table in results/glyphs that `python -m benchmarks.glyphs report` writes.

See `tools/numbers/__init__.py` for the meaning of maker and answer.
"""

from __future__ import annotations

import csv
from functools import partial

from tools.numbers.maker import STUDY, Answer, Maker
from tools.numbers.run import ROOT
from tools.numbers.tables import markdown, significant

REPORT = "python -m benchmarks.glyphs report"
SUMMARY = "results/glyphs/summary.csv"
TIME = "python -m benchmarks.glyphs time"
TIMES = "results/glyphs/times.csv"
BUDGETS = (1500, 12_000)

LAYERS = {
    "parts": "**fixed: simplices of the parts**, `ps.compose`",
    "means": "**fixed: class means**, `ps.from_embeddings`",
    "quantized": "**fixed: class means in 16 parts**, `ps.from_embeddings(parts=16)`",
    "multi_head": "a learned layer per part",
    "learned": "learned `nn.Linear`",
    "learned_256": "learned `nn.Linear`",
    "cosine": "learned cosine layer",
    "sampled_softmax": "sampled softmax, 10% of the classes",
    "partial_fc": "Partial FC, 10% of the classes",
    "default_head": "`PrototypeHead(K, dim=n)`, classes at random",
    "default_head_256": "`PrototypeHead(K, dim=n)`, classes at random",
}
"""Names of last layers on the page, by method."""

TIMED_LAYERS = LAYERS | {
    "linear_cross_entropy": "learned, `torch.nn.functional.linear_cross_entropy`",
    "cut_cross_entropy": "learned, the package cut-cross-entropy",
}
"""Names of last layers in the table of times, by method."""

UNSEEN = {
    "parts": "**fixed: simplices of the parts**, `ps.compose`",
    "multi_head": "a learned layer per part",
    "learned": "learned `nn.Linear`",
}
"""Names of last layers on the page, by the first part of the name of the method."""

KINDS_OF_SEEN = {"unseen_random": "drawn at random", "unseen": "KS X 1001"}
"""Syllables with training images, by the last part of the name of the method."""


def measured() -> Answer:
    """Return the rows of the summary, by the set of characters, the method and the number of training steps."""
    found: dict[str, dict[str, dict[str, dict[str, str]]]] = {}
    with (ROOT / SUMMARY).open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            methods = found.setdefault(row.pop("characters"), {})
            methods.setdefault(row.pop("method"), {})[row.pop("steps")] = row
    return found


def measured_times() -> Answer:
    """Return the rows of the table of times, by method."""
    with (ROOT / TIMES).open(newline="", encoding="utf-8") as file:
        return {row.pop("method"): row for row in csv.DictReader(file)}


def times_table(answer: Answer) -> str:
    """Return a Markdown table of times and memory, with a row for each last layer in ascending order of step time."""
    rows: list[list[str]] = []
    for method, row in sorted(
        answer.items(), key=lambda found: float(found[1]["step_ms"])
    ):
        rows.append(
            [
                TIMED_LAYERS[method],
                row["dim"],
                f"{significant(float(row['step_ms']))} ms",
                f"{significant(float(row['layer_ms']))} ms",
                f"{float(row['layer_mb']):.2f} MB",
                f"{float(row['working_mb']):.1f} MB",
            ]
        )
    headings = ["step", "last layer alone", "size of the last layer", "work space"]
    return markdown(["last layer", "n", *headings], rows)


def times_ratio(answer: Answer, kind: str) -> str:
    """Return the time `kind`, a column of the table, of the learned layer divided by that of the method "parts"."""
    return f"{float(answer['learned'][kind]) / float(answer['parts'][kind]):.1f}"


def cell(row: dict[str, str] | None) -> str:
    """Return the accuracy in a row of the summary and half of its 95% interval as text.

    If the number of seeds is not three, it is added in brackets. Without a row, the text is empty.
    """
    if row is None:
        return ""
    text = f"{float(row['accuracy']):.1f}"
    if row["half_interval"]:
        text += f" ± {float(row['half_interval']):.1f}"
    if row["seeds"] == "3":
        return text
    return f"{text} (seeds: {row['seeds']})"


def accuracy_table(answer: Answer, characters: str) -> str:
    """Return a Markdown table of accuracies, with a row for each last layer and a column for each number of steps."""
    methods = answer.get(characters, {})
    budgets = [
        steps
        for steps in BUDGETS
        if any(str(steps) in found for found in methods.values())
    ]
    rows: list[list[str]] = []
    for method, label in LAYERS.items():
        found = methods.get(method, {})
        cells = [cell(found.get(str(steps))) for steps in budgets]
        if any(cells):
            dim = next(iter(found.values()))["dim"]
            rows.append([label, dim, *cells])
    headings = [f"{steps:,} steps" for steps in budgets]
    return markdown(["last layer", "n", *headings], rows)


def faces_table(answer: Answer) -> str:
    """Return a Markdown table of the accuracies on text faces and on the script face after 1,500 training steps."""
    rows = [
        [
            LAYERS[method],
            *(f"{float(found['1500'][kind]):.1f}" for kind in KINDS_OF_FACES),
        ]
        for method, found in answer["hangul"].items()
        if method in ("parts", "means", "multi_head", "learned")
    ]
    return markdown(["last layer", "8 text faces", "1 script face"], rows)


KINDS_OF_FACES = ("text_accuracy", "script_accuracy")


def unseen_table(answer: Answer) -> str:
    """Return a Markdown table of the accuracies on syllables with and without training images.

    The table has rows for both choices of the syllables with training images (see `KINDS_OF_SEEN`).
    """
    rows: list[list[str]] = []
    for kind, choice in KINDS_OF_SEEN.items():
        for layer, label in UNSEEN.items():
            found = answer["hangul"].get(f"{layer}_{kind}", {})
            cells: list[str] = []
            for steps in BUDGETS:
                row = found.get(str(steps), {})
                cells += [
                    one_digit(row, "seen_accuracy"),
                    one_digit(row, "unseen_accuracy"),
                ]
            rows.append([choice, label, *cells])
    headings = [
        f"{kind}, {steps:,} steps" for steps in BUDGETS for kind in ("seen", "unseen")
    ]
    return markdown(["seen syllables", "last layer", *headings], rows)


def one_digit(row: dict[str, str], name: str) -> str:
    """Return the entry `name` of a row with one decimal; an empty text if it is missing."""
    return f"{float(row[name]):.1f}" if row.get(name) else ""


def unseen_accuracy(answer: Answer, steps: int) -> str:
    """Return the accuracy of prototypes made of parts on syllables without training images.

    The syllables with training images were drawn at random.
    """
    row = answer["hangul"]["parts_unseen_random"][str(steps)]
    return f"{float(row['unseen_accuracy']):.1f}%"


def accuracy(answer: Answer, method: str, steps: int) -> str:
    """Return the mean accuracy of a method on Hangul syllables after `steps` training steps."""
    return f"{float(answer['hangul'][method][str(steps)]['accuracy']):.1f}%"


MAKERS = (
    Maker(
        "glyphs",
        REPORT,
        measured,
        {
            "hangul": partial(accuracy_table, characters="hangul"),
            "han": partial(accuracy_table, characters="han"),
            "faces": faces_table,
            "unseen": unseen_table,
            "unseen_1500": partial(unseen_accuracy, steps=1500),
            "unseen_12000": partial(unseen_accuracy, steps=12_000),
            "quantized_1500": partial(accuracy, method="quantized", steps=1500),
            "parts_1500": partial(accuracy, method="parts", steps=1500),
            "means_1500": partial(accuracy, method="means", steps=1500),
            "learned_1500": partial(accuracy, method="learned", steps=1500),
            "random_1500": partial(accuracy, method="default_head", steps=1500),
            "parts_12000": partial(accuracy, method="parts", steps=12_000),
            "means_12000": partial(accuracy, method="means", steps=12_000),
            "learned_12000": partial(accuracy, method="learned", steps=12_000),
            "cosine_12000": partial(accuracy, method="cosine", steps=12_000),
        },
        cost=STUDY,
        tables=(SUMMARY,),
        seeds=(0, 1, 2),
    ),
    Maker(
        "glyphs_times",
        TIME,
        measured_times,
        {
            "table": times_table,
            "step_ratio": partial(times_ratio, kind="step_ms"),
            "layer_ratio": partial(times_ratio, kind="layer_ms"),
        },
        cost=STUDY,
        tables=(TIMES,),
        timed=True,
    ),
)
