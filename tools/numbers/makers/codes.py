"""Makers of the numbers of codes: their maximum cosines.

See `tools/numbers/__init__.py` for the meaning of maker and answer.
"""

from __future__ import annotations

from functools import partial

from tools.numbers.defaults import known_code
from tools.numbers.maker import SLOW, Answer, Maker, Tolerance
from tools.numbers.run import command_answer
from tools.numbers.tables import cosine, markdown

SEPARATION = "python examples/separation_table.py"
RESERVE = "protosphere best -K 500 -n 64 --iterations 0"
MANY = "protosphere compare -K {} --dims 64,128,256,512 --schemes best --no-figure"

COSINE = Tolerance(absolute=2e-3)
"""Tolerance of maximum cosines. Because of rounding, a descent may have another result on another machine."""


def separation_table(answer: Answer) -> str:
    """Return a Markdown table of maximum cosines, with a row for each pair (K, n) and a column for each scheme."""
    columns = list(next(iter(answer.values())))
    headings = ["**best**" if name == "best" else name for name in columns]
    rows: list[list[str]] = []
    for size, found in answer.items():
        cells = [
            f"**{cosine(value)}**" if name == "best" else cosine(value)
            for name, value in found.items()
        ]
        rows.append([*size.split(", "), *cells])
    return markdown(["K", "n", *headings], rows)


def best_and_converse(answer: Answer) -> Answer:
    """Return the lowest known maximum cosine ("best") and the converse ("converse") by dimension.

    `answer` is what the command `protosphere compare` prints.
    """
    found: dict[str, dict[str, float]] = {}
    for record in answer["records"]:
        if record["scheme"] in ("best", "converse"):
            found.setdefault(str(record["dim"]), {})[record["scheme"]] = record[
                "max_cosine"
            ]
    return found


def many_classes() -> Answer:
    """Return the result of `best_and_converse` for 100,000 and 1,000,000 classes, by the number of classes as text."""
    return {
        str(K): best_and_converse(command_answer(MANY.format(K)))
        for K in (100_000, 1_000_000)
    }


def many_classes_table(answer: Answer) -> str:
    """Return a Markdown table of the lowest known maximum cosines and the converses, with a row for each dimension."""
    headings = ["n", "K = 10<sup>5</sup>", "converse", "K = 10<sup>6</sup>", "converse"]
    rows: list[list[str]] = []
    for dim in answer["100000"]:
        values = [answer[K][dim][kind] for K in answer for kind in ("best", "converse")]
        rows.append([dim, *map(cosine, values)])
    return markdown(headings, rows)


MAKERS = (
    Maker(
        "separation",
        SEPARATION,
        partial(command_answer, SEPARATION),
        {
            "table": separation_table,
            "best_1000": lambda answer: cosine(answer["1000, 128"]["best"]),
            "descent_1000": lambda answer: cosine(answer["1000, 128"]["log-sum-exp"]),
            "converse_1000": lambda answer: cosine(answer["1000, 128"]["converse"]),
        },
        spot_check=f"{SEPARATION} --quick",
        tolerances={"*": COSINE},
        depends_on=(known_code(100, 16), known_code(1000, 128)),
    ),
    Maker(
        "reserve",
        RESERVE,
        partial(command_answer, RESERVE),
        {"max_cosine": lambda answer: cosine(answer["max_cosine"])},
        spot_check=RESERVE,
        selected=lambda answer: {"max_cosine": answer["max_cosine_exact"]},
        depends_on=(known_code(500, 64),),
    ),
    Maker(
        "many_classes",
        MANY.format(1_000_000),
        many_classes,
        {"table": many_classes_table},
        cost=SLOW,
        tolerances={"*": Tolerance(absolute=1e-4)},
        depends_on=(known_code(100_000, 128), known_code(1_000_000, 256)),
    ),
)
