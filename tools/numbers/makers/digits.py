"""Makers of the numbers of the examples that train on scikit-learn's digits.

See `tools/numbers/__init__.py` for the meaning of maker and answer.
"""

from __future__ import annotations

from functools import partial

from tools.numbers.defaults import (
    default_head,
    default_score,
    known_code,
    named_preset,
)
from tools.numbers.maker import SLOW, Answer, Maker, Tolerance
from tools.numbers.run import command_answer
from tools.numbers.tables import markdown, percent, span

POINTS = Tolerance(absolute=1.0)
"""Tolerance of an accuracy in percent on a few hundred images, which may differ slightly on another machine."""

ANYTHING = Tolerance(absolute=100.0)
"""Tolerance of an accuracy in percent of a run that nearly diverges. It is different on each machine."""

SHARE = Tolerance(absolute=0.03)
"""Tolerance of a share of the 80 images of unknown digits, or of the 367 images of known digits."""

LAST_LAYER = "python examples/replace_last_layer.py"
SURPRISE = "python examples/unknown_inputs.py"
GROWTH = "python examples/growing.py"
RETRIEVAL = "python examples/retrieval.py"


def last_layer_table(answer: Answer) -> str:
    """Return a Markdown table of accuracies, with a row for each momentum and learning rate.

    An entry lists the accuracies of all seeds.
    """
    rows: list[list[str]] = []
    before = ""
    for setting, found in answer.items():
        momentum, rate = (part.split()[1] for part in setting.split(", "))
        name = "no momentum" if float(momentum) == 0 else f"momentum {momentum}"
        cells = [
            " ".join(f"{value:.1f}" for value in found[layer])
            for layer in ("learned", "prototypes")
        ]
        rows.append(["" if name == before else name, rate, *cells])
        before = name
    return markdown(["SGD", "learning rate", "`nn.Linear`", "prototypes"], rows)


def accuracy_span(answer: Answer, layer: str, momentum: str) -> str:
    """Return the lowest and the highest accuracy of a last layer over all learning rates and seeds, as text.

    Args:
        answer: Answer of the maker `replace_last_layer`.
        layer: "prototypes" or "learned".
        momentum: Momentum of SGD as text.
    """
    settings = [
        found
        for setting, found in answer.items()
        if setting.startswith(f"momentum {momentum},")
    ]
    return span(value for found in settings for value in found[layer])


def score_table(answer: Answer) -> str:
    """Return a Markdown table with the shares of known images accepted and of unknown images rejected, by score."""
    default = next(
        kind
        for kind, found in answer.items()
        if kind != "default" and found == answer["default"]
    )
    rows = [
        [
            f"`{kind}`{' (default)' if kind == default else ''}",
            percent(found["accepted"]),
            percent(found["rejected"]),
        ]
        for kind, found in answer.items()
        if kind != "default"
    ]
    return markdown(["score", "known images accepted", "8 and 9 rejected"], rows)


LAYERS = ("prototype head", "learned layer")
PARTS = ("old", "new", "all")


def growth_table(answer: Answer) -> str:
    """Return a Markdown table of the accuracies of both last layers on old, new and all digits.

    Each row stands for one choice of the images on which training continued after the new digits were added.
    """
    rows: list[list[str]] = []
    for name in answer[LAYERS[0]]:
        found = [answer[layer][name].get(part) for layer in LAYERS for part in PARTS]
        rows.append(
            [name, *("" if value is None else f"{value:.1f}%" for value in found)]
        )
    headings = [f"{layer}: {part} digits" for layer in LAYERS for part in PARTS]
    return markdown(["then trained on", *headings], rows)


def rehearsed(answer: Answer, layer: str) -> float:
    """Return the accuracy on all digits after training on new digits and stored images of old digits."""
    return next(
        found["all"] for name, found in answer[layer].items() if "stored" in name
    )


COMPARED = {
    "trained_bits": ("signs of trained features", "31 bits"),
    "random_bits": ("signs of random projections of the image", "31 bits"),
    "trained_cosine": ("cosine of trained features", "31 numbers"),
}
"""For each name in the answer, how images are compared and what is stored for each image."""


def retrieval_table(answer: Answer) -> str:
    """Return a Markdown table with a row for each way of comparing images.

    The last column has, for each seed, the share of the nearest images that show the same digit as the query.
    """
    rows: list[list[str]] = []
    for name, (label, stored) in COMPARED.items():
        shares = " ".join(f"{share:.1f}%" for share in answer[name])
        rows.append([label, stored, shares])
    headings = ["compared by", "stored for each image", "share of the same digit"]
    return markdown(headings, rows)


MAKERS = (
    Maker(
        "replace_last_layer",
        LAST_LAYER,
        partial(command_answer, LAST_LAYER),
        {
            "table": last_layer_table,
            "prototypes": partial(accuracy_span, layer="prototypes", momentum="0.9"),
            "learned": partial(accuracy_span, layer="learned", momentum="0.9"),
            "prototypes_plain": partial(
                accuracy_span, layer="prototypes", momentum="0"
            ),
            "learned_plain": partial(accuracy_span, layer="learned", momentum="0"),
        },
        spot_check=f"{LAST_LAYER} --momentum 0 --rate 0.01 --seeds 1",
        tolerances={
            "momentum 0.9, rate 0.5.learned.*": ANYTHING,
            "*rate 0.01.learned.*": Tolerance(5.0),
            "*": POINTS,
        },
        depends_on=(default_head(10, 9),),
        seeds=(0, 1, 2),
    ),
    Maker(
        "unknown_inputs",
        SURPRISE,
        partial(command_answer, SURPRISE),
        {
            "table": score_table,
            "accepted": lambda answer: percent(answer["default"]["accepted"]),
            "rejected": lambda answer: percent(answer["default"]["rejected"]),
        },
        spot_check=SURPRISE,
        tolerances={"*.threshold": Tolerance(relative=0.1), "*": SHARE},
        depends_on=(default_head(8, 7), default_score(8, 7)),
    ),
    Maker(
        "growing",
        GROWTH,
        partial(command_answer, GROWTH),
        {
            "table": growth_table,
            "gain": lambda answer: (
                f"{rehearsed(answer, LAYERS[0]) - rehearsed(answer, LAYERS[1]):.1f}"
            ),
        },
        cost=SLOW,
        tolerances={"*": Tolerance(absolute=2.0)},
        depends_on=(default_head(7, 16), known_code(100, 16)),
        seeds=(0, 1, 2, 3, 4),
    ),
    Maker(
        "retrieval",
        RETRIEVAL,
        partial(command_answer, RETRIEVAL),
        {"table": retrieval_table},
        spot_check=f"{RETRIEVAL} --seeds 1",
        tolerances={"*": POINTS},
        depends_on=(named_preset("lindstrom", 10, 9),),
        seeds=(0, 1, 2),
    ),
)
