"""Makers of the numbers of the benchmarks: times, ratios of times, and memory.

These numbers depend on the machine, so their tolerances are wide. "Dense" stands for a learned `nn.Linear`, and "ours"
for a head of protosphere.

See `tools/numbers/__init__.py` for the meaning of maker and answer.
"""

from __future__ import annotations

from functools import partial
from math import ceil, floor

from tools.numbers.defaults import known_code, named_preset
from tools.numbers.maker import SLOW, Answer, Maker, Tolerance
from tools.numbers.run import command_answer
from tools.numbers.tables import markdown, significant

HEADS = "python -m benchmarks.heads"
ASSIGNMENT = "python -m benchmarks.assignment"
OPTIMIZER = "python -m benchmarks.optimizer"
AUGMENTATION = "python -m benchmarks.augmentation"
PRESETS = "python -m benchmarks.presets"
MILLION = "python -m benchmarks.million_classes"
PARTS = "python -m benchmarks.parts"
EMBEDDINGS = "python -m benchmarks.from_embeddings --layers"

RATIO = Tolerance(relative=0.6)
"""Tolerance of the ratio of two times in one run."""

TIME = Tolerance(relative=3.0)
"""Tolerance of times, which depend on the machine and on its other work."""

MEMORY = Tolerance(absolute=50.0, relative=0.2)
"""Tolerance of memory in megabytes."""

SIZES = ("256, 65,536", "512, 262,144")
"""Sizes (n, K) as keys of the answer."""

PRESET_ROWS = (
    *(
        "nn.Linear",
        "protosphere",
        "lindstrom",
        "kasarla",
        "mettes",
        "plain cosines",
        "cosines, learned scale",
    ),
    "batch norm, unit",
)
"""Methods of the benchmark of presets that the page shows."""


def times_table(answer: Answer) -> str:
    """Return a Markdown table of times of the dense layer and our head, with a row for each size and operation."""
    rows: list[list[str]] = []
    for size in SIZES:
        jobs = {name: found for name, found in answer[size].items() if name != "memory"}
        for number, (name, found) in enumerate(jobs.items()):
            times = [f"{significant(found[key])} ms" for key in ("dense_ms", "ours_ms")]
            rows.append(
                ["" if number else size, name, *times, significant(found["ratio"], 2)]
            )
    return markdown(["n, K", "", "dense", "ours", "times faster"], rows)


def memory_table(answer: Answer) -> str:
    """Return a Markdown table of the memory of the dense layer and of our head, with a row for each size."""
    headings = [
        "n, K",
        "dense matrix",
        "logits and their gradient",
        "ours",
        "of it used on a CPU",
        "work space of a loss",
    ]
    keys = ("dense", "logits", "ours", "used", "space")
    rows = [
        [size, *(f"{answer[size]['memory'][key]:.3g} MB" for key in keys)]
        for size in SIZES
    ]
    return markdown(headings, rows)


def million_table(answer: Answer) -> str:
    """Return a Markdown table of times and memory of our head and the dense layer, for a million classes."""
    headings = [
        "",
        "step (cross-entropy, forward + backward)",
        "decode",
        "peak above the import",
        "to make code and head",
    ]
    names = {"hadamard": "`hadamard`", "dense": "dense layer"}
    rows: list[list[str]] = []
    for kind, found in answer["million"].items():
        times = [f"{significant(found[key])} ms" for key in ("step_ms", "decode_ms")]
        sizes = [f"{significant(found[key])} MB" for key in ("peak_mb", "made_mb")]
        rows.append([names[kind], *times, *sizes])
    return markdown(headings, rows)


def parts_table(answer: Answer) -> str:
    """Return a Markdown table of times and memory of heads for a million classes made of parts."""
    rows = [
        [
            row["case"],
            str(row["dim"]),
            f"{significant(row['step_ms'])} ms",
            f"{significant(row['dense_ms'])} ms",
            significant(row["times_faster"], 2),
            f"{row['head_mb']:.1f} MB",
            f"{row['dense_mb']:.0f} MB",
        ]
        for row in answer["rows"]
        if row["num_classes"] >= 1_000_000
    ]
    headings = ["step", "step, dense", "times faster", "head", "dense layer"]
    return markdown(["prototypes", "n", *headings], rows)


def step_ratio(answer: Answer) -> str:
    """Return by which factor a training step of our head is faster, for 262,144 classes, rounded down."""
    return f"{floor(answer[SIZES[1]]['cross-entropy, forward + backward']['ratio'])}"


def slowest_assignment(answer: Answer, size: str) -> str:
    """Return the longest CPU time in seconds of `ps.assign` for the number of classes `size`."""
    return significant(max(found["seconds"] for found in answer[size].values()), 2)


def assignment_gain(answer: Answer) -> str:
    """Return the smallest and largest percentage by which the values of `ps.assign` exceed those of scipy's FAQ."""
    gains = [
        100 * (found["ratio"] - 1)
        for size in answer.values()
        for found in size.values()
    ]
    return f"{min(gains):.1f} to {max(gains):.1f}%"


def layer_number(answer: Answer, layer: str, key: str, unit: str) -> str:
    """Return a number of a layer with its unit. `key` is the name of the number in the answer."""
    return f"{significant(answer[layer][key], 2)} {unit}"


def search_ratio(answer: Answer, size: str) -> str:
    """Return the time of the paper's descent divided by the time in which our search reaches the same result.

    `size` is a key of the answer: n and K, such as "16, 100".
    """
    return f"{answer[size]['ratio']:.0f}"


def preset_table(answer: Answer) -> str:
    """Return a Markdown table of accuracies, with a row for each method and a column for each learning rate.

    An entry has the mean over the seeds and, in brackets, the lowest accuracy. The last column has the smallest
    difference between a run of the method and the run of `nn.Linear` with the same learning rate and seed.
    """
    rates = list(answer["nn.Linear"])
    rows: list[list[str]] = []
    for method in PRESET_ROWS:
        runs = answer[method]
        cells = [
            f"{sum(runs[rate]) / len(runs[rate]):.1f} ({min(runs[rate]):.1f})"
            for rate in rates
        ]
        beside = [
            pair
            for rate in rates
            for pair in zip(runs[rate], answer["nn.Linear"][rate], strict=True)
        ]
        worst = min(ours - plain for ours, plain in beside)
        rows.append([method, *cells, f"{worst:+.1f}"])
    return markdown(
        ["method", *(f"lr {rate}" for rate in rates), "worst run against nn.Linear"],
        rows,
    )


MAKERS = (
    Maker(
        "heads_benchmark",
        HEADS,
        partial(command_answer, HEADS),
        {
            "times": times_table,
            "memory": memory_table,
            "million": million_table,
            "step_ratio": step_ratio,
            "ours_mb": lambda answer: f"{answer[SIZES[1]]['memory']['ours']:.1f} MB",
            "dense_mb": lambda answer: f"{answer[SIZES[1]]['memory']['dense']:.0f} MB",
        },
        cost=SLOW,
        timed=True,
        tolerances={
            "*_mb": MEMORY,
            "*_ms": TIME,
            "*.ratio": RATIO,
            "*.memory.*": Tolerance(relative=0.01),
        },
    ),
    Maker(
        "assignment_benchmark",
        ASSIGNMENT,
        partial(command_answer, ASSIGNMENT),
        {
            "seconds_100": partial(slowest_assignment, size="100"),
            "seconds_300": partial(slowest_assignment, size="300"),
            "seconds_1000": partial(slowest_assignment, size="1000"),
            "gain": assignment_gain,
        },
        cost=SLOW,
        tolerances={
            "*seconds": TIME,
            "*faq_starts": TIME,
            "*": Tolerance(relative=0.03),
        },
        depends_on=(known_code(100, 32),),
    ),
    Maker(
        "search_benchmark",
        OPTIMIZER,
        partial(command_answer, OPTIMIZER),
        {
            "small": partial(search_ratio, size="16, 100"),
            "medium": partial(search_ratio, size="32, 100"),
            "large": partial(search_ratio, size="128, 1000"),
        },
        cost=SLOW,
        timed=True,
        tolerances={"*_s": TIME, "*.ratio": RATIO, "*": Tolerance(absolute=5e-3)},
    ),
    Maker(
        "augmentation_benchmark",
        AUGMENTATION,
        partial(command_answer, AUGMENTATION),
        {"ratio": lambda answer: f"{answer['ratio']:.0f}"},
        cost=SLOW,
        timed=True,
        tolerances={"ratio": RATIO, "*": TIME},
    ),
    Maker(
        "preset_benchmark",
        PRESETS,
        partial(command_answer, PRESETS),
        {"table": preset_table},
        cost=SLOW,
        tolerances={"*.0.5.*": Tolerance(absolute=100.0), "*": Tolerance(absolute=3.0)},
        depends_on=tuple(
            named_preset(name, 10, 9)
            for name in ("protosphere", "lindstrom", "kasarla", "mettes")
        ),
        seeds=(0, 1, 2),
    ),
    Maker(
        "million_benchmark",
        MILLION,
        partial(command_answer, MILLION),
        {
            "seconds": lambda answer: (
                f"{ceil(max(found['built_s'] for found in answer.values()))} s"
            )
        },
        cost=SLOW,
        timed=True,
        tolerances={"*_s": TIME, "*_mb": MEMORY},
    ),
    Maker(
        "from_embeddings_benchmark",
        EMBEDDINGS,
        partial(command_answer, EMBEDDINGS),
        {
            f"{layer}_{name}": partial(layer_number, layer=layer, key=key, unit=unit)
            for layer, name, key, unit in (
                ("dense", "made", "made_s", "s"),
                ("dense", "step", "step_ms", "ms"),
                ("dense", "mb", "layer_mb", "MB"),
                ("quantized", "made", "made_s", "s"),
                ("quantized", "step", "step_ms", "ms"),
                ("quantized", "mb", "layer_mb", "MB"),
                ("linear", "step", "step_ms", "ms"),
                ("linear", "mb", "layer_mb", "MB"),
            )
        },
        cost=SLOW,
        timed=True,
        tolerances={"*_s": TIME, "*_ms": TIME, "*_mb": Tolerance(relative=0.01)},
    ),
    Maker(
        "parts_benchmark",
        PARTS,
        partial(command_answer, PARTS),
        {"table": parts_table},
        cost=SLOW,
        timed=True,
        tolerances={"*_ms": TIME, "*.times_faster": RATIO, "*_mb": Tolerance(0.01)},
    ),
)
