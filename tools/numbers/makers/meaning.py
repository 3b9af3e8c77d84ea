"""Makers of the numbers of the study of which class gets which prototype.

The runs of the study are in tables in results/meaning. "Designed" prototypes are those of the method "semantic,
learned, z halved".

A cell is a list [mean, half of its 95% interval, mean difference from the reference method, half of its 95% interval].
See `tools/numbers/__init__.py` for the meaning of maker and answer.
"""

from __future__ import annotations

from functools import partial

from tools.numbers.defaults import known_code, named_preset
from tools.numbers.maker import STUDY, Answer, Maker
from tools.numbers.studies import (
    Cell,
    cell_text,
    difference_with_half,
    mean_with_half,
    methods_table,
    paired,
    part,
    signed,
)
from tools.numbers.tables import markdown, span

BOTTLENECK = "learned bottleneck"
LAYER = "learned layer"
DIMS = (8, 16, 24, 32, 48, 64, 80)
FEW_DIMS = (16, 32, 64)
TREE_DIMS = (24, 32, 64)
HALVED = "lindstrom, scale 0.5"
GLOVE = "semantics/cifar100_glove50.csv"
SUPERCLASSES = "cifar100_superclasses"
LEVELS = "cifar100_levels"

ASSIGNED = {
    BOTTLENECK: BOTTLENECK,
    "best, at random": "best, random, soft_cap, iterations 0",
    "best, aligned": "best, align, seen, soft_cap, iterations 0",
    "best, opposed": "best, oppose, seen, soft_cap, iterations 0",
    "log-sum-exp, at random": "log_sum_exp, random, soft_cap",
    "log-sum-exp, aligned": "log_sum_exp, align, seen, soft_cap",
    "log-sum-exp, opposed": "log_sum_exp, oppose, seen, soft_cap",
    "BCH, at random": "bch, random, soft_cap, modify True",
    "BCH, aligned": "bch, align, seen, soft_cap, modify True",
}
CROSS_POLYTOPES = {
    "cross-polytope, at random": "cross_polytope, random, soft_cap",
    "cross-polytope, aligned": "cross_polytope, align, seen, soft_cap",
    "cross-polytope, opposed": "cross_polytope, oppose, seen, soft_cap",
}
FEATURES = {
    **ASSIGNED,
    "BCH, opposed": "bch, oppose, seen, soft_cap, modify True",
    **CROSS_POLYTOPES,
    "semantic, class means": "semantic, align, seen, soft_cap",
    "semantic, logits": "semantic, align, logits, soft_cap",
    "semantic, learned": "semantic, align, learned, soft_cap",
    "semantic, logits, z halved": f"semantic, align, logits, {HALVED}",
    "semantic, learned, z halved": f"semantic, align, learned, {HALVED}",
    "best, at random, z halved": f"best, random, {HALVED}, iterations 0",
    "best, aligned, z halved": f"best, align, seen, {HALVED}, iterations 0",
    "semantic, logits, prototype warm-up": "semantic, align, logits, prototype warmup epochs 2, soft_cap",
    "best, at random, prototype warm-up": "best, random, prototype warmup epochs 2, soft_cap, iterations 0",
}
SIMILARITIES = {
    "best, by class means": "best, align, seen, soft_cap, iterations 0",
    "best, by word vectors (GloVe)": f"best, align, {GLOVE}, soft_cap, iterations 0",
    "best, by superclasses": f"best, align, {SUPERCLASSES}, soft_cap, iterations 0",
    "semantic, by class means": "semantic, align, seen, soft_cap",
    "semantic, by word vectors (GloVe)": f"semantic, align, {GLOVE}, soft_cap",
    "semantic, by superclasses": f"semantic, align, {SUPERCLASSES}, soft_cap",
}
TREES = {
    "hierarchical, 20 x 5, z halved": f"hierarchical, align, learned, {HALVED}, spread 0.2, tree {SUPERCLASSES}",
    "hierarchical, five levels, z halved": f"hierarchical, align, learned, {HALVED}, spread 0.2, tree {LEVELS}",
}
MISTAKES = {
    BOTTLENECK: BOTTLENECK,
    **TREES,
    "semantic, learned, z halved": f"semantic, align, learned, {HALVED}",
}
FRAMES = {
    LAYER: LAYER,
    "simplex": "simplex, fixed, soft_cap",
    "frame, 20 x 5": f"hierarchy_frame, fixed, soft_cap, tree {SUPERCLASSES}",
    "frame, five levels": f"hierarchy_frame, fixed, soft_cap, tree {LEVELS}",
}
MLP = {
    **ASSIGNED,
    **CROSS_POLYTOPES,
    "semantic, logits": "semantic, align, logits, soft_cap",
    "semantic, learned, z halved": f"semantic, align, learned, {HALVED}",
    **TREES,
}
SCARCE = {
    BOTTLENECK: "learned bottleneck, {}",
    "best, at random": "best, random, {}, iterations 0",
    "best, aligned": "best, align, seen, {}, iterations 0",
    "semantic, logits": "semantic, align, logits, {}",
    "semantic, logits, prototype warm-up": "semantic, align, logits, prototype warmup epochs 2, {}",
}
FEW = "train images 5000"
NOISY = "label noise 0.2"

METRICS = {
    "accuracy": ("test_accuracy", 2),
    "distance at 5": ("test_hierarchical_distance_at_5", 3),
    "distance at 20": ("test_hierarchical_distance_at_20", 3),
}
LEAST_RISK = {
    "least risk: distance at 5": "test_least_risk_distance_at_5",
    "least risk: distance at 20": "test_least_risk_distance_at_20",
}


def sweep(name: str) -> str:
    """Return the command that made the table `name` of runs, as the page shows it."""
    return f"protosphere sweep examples/meaning/{name}.toml --workers 2"


def features() -> Answer:
    """Return the accuracies of the methods in `FEATURES` and `SIMILARITIES`, by method and dimension."""
    methods = [*FEATURES.values(), *SIMILARITIES.values()]
    return part(
        paired("meaning/features.csv", BOTTLENECK), dict.fromkeys(methods), DIMS
    )


def without_differences(answer: Answer, labels: dict[str, str]) -> str:
    """Return a Markdown table of mean accuracies, with a row for each method and a column for each dimension."""
    means = {
        method: {dim: [*cell[:2], None, None] for dim, cell in cells.items()}
        for method, cells in answer.items()
    }
    return methods_table(means, labels, DIMS)


def mean_of(answer: Answer, label: str, dim: int = 16) -> str:
    """Return the mean accuracy of a method in one dimension. `label` is a key of `FEATURES`."""
    return f"{answer[FEATURES[label]][str(dim)][0]:.1f}%"


def alignment_gain(answer: Answer, dim: int) -> str:
    """Return the accuracy of aligned prototypes of `best` minus that of a random mapping, in percentage points."""
    aligned, random = (
        answer[FEATURES[label]][str(dim)][0]
        for label in ("best, aligned", "best, at random")
    )
    return f"{aligned - random:.0f}"


def mean_difference(answer: Answer, first: str, second: str, dim: int) -> float:
    """Return the mean accuracy of method `first` minus that of method `second` in one dimension, in points."""
    return answer[FEATURES[first]][str(dim)][0] - answer[FEATURES[second]][str(dim)][0]


def opposition_cost(answer: Answer) -> str:
    """Return the range of the loss of accuracy by opposed instead of random mappings of `best`, as text."""
    known = [dim for dim in DIMS if str(dim) in answer[FEATURES["best, opposed"]]]
    return span(
        (
            mean_difference(answer, "best, at random", "best, opposed", dim)
            for dim in known
        ),
        0,
    )


def evenness_gain(answer: Answer, dim: int) -> str:
    """Return the accuracy of `best` minus that of the cross-polytope, both with random mappings."""
    return f"{mean_difference(answer, 'best, at random', 'cross-polytope, at random', dim):.1f}"


def designed_differences(answer: Answer, dims: tuple[int, ...]) -> str:
    """Return the range of the difference in accuracy, designed prototypes minus learned bottleneck, as text."""
    values = [
        answer[FEATURES["semantic, learned, z halved"]][str(dim)][2] for dim in dims
    ]
    lowest, highest = (signed(value, 1) for value in (min(values), max(values)))
    return lowest if lowest == highest else f"{lowest} to {highest}"


def full_dimension(table: str) -> Answer:
    """Return the cells of the methods in `FRAMES`, which have dimension K - 1 or K, by metric and method.

    The differences are those from the learned layer. The Lindström preset with a simplex is included.

    Args:
        table: Path of the table of runs in results/.
    """
    answer: dict[str, dict[str, Cell]] = {}
    for name, (metric, _) in METRICS.items():
        found = paired(table, LAYER, metric)
        known = [
            method
            for method in (*FRAMES.values(), "simplex, fixed, lindstrom")
            if method in found
        ]
        answer[name] = {
            method: next(
                found[method][dim] for dim in ("99", "100") if dim in found[method]
            )
            for method in known
        }
    return answer


def full_mean(answer: Answer, label: str) -> str:
    """Return the mean accuracy of a method and half of its 95% interval as text."""
    return mean_with_half(answer["accuracy"][FRAMES.get(label, label)])


def full_difference(answer: Answer, label: str) -> str:
    """Return the difference in accuracy of a method from the learned layer and half of its 95% interval as text."""
    return difference_with_half(answer["accuracy"][FRAMES[label]])


def frames_table(answer: Answer) -> str:
    """Return a Markdown table with a row for each method in `FRAMES` and a column for each metric in `METRICS`."""
    rows: list[list[str]] = []
    for label, method in FRAMES.items():
        rows.append(
            [
                label,
                *(
                    cell_text(answer[name][method], digits)
                    for name, (_, digits) in METRICS.items()
                ),
            ]
        )
    return markdown(["method", *METRICS], rows)


def scarce() -> Answer:
    """Return the accuracies of the methods in `SCARCE`, with few training images and with wrong labels.

    The keys are the case (`FEW` or `NOISY`), the method and the dimension.
    """
    answer: dict[str, Answer] = {}
    for case in (FEW, NOISY):
        found = paired("meaning/scarce.csv", f"learned bottleneck, {case}")
        answer[case] = part(
            found, [method.format(case) for method in SCARCE.values()], FEW_DIMS
        )
    return answer


def scarce_table(answer: Answer, case: str) -> str:
    """Return a Markdown table of the accuracies in one case, `FEW` or `NOISY`."""
    labels = {label: method.format(case) for label, method in SCARCE.items()}
    return methods_table(answer[case], labels, FEW_DIMS)


def mistakes() -> Answer:
    """Return accuracies and hierarchical distances of the methods in `MISTAKES`, by measure, method and dimension.

    For the learned bottleneck, the answer also has the distances if each prediction minimizes the expected distance.
    """
    answer: dict[str, Answer] = {}
    for name, (metric, _) in METRICS.items():
        answer[name] = part(
            paired("meaning/features.csv", BOTTLENECK, metric),
            MISTAKES.values(),
            TREE_DIMS,
        )
    for name, metric in LEAST_RISK.items():
        answer[name] = part(
            paired("meaning/features.csv", BOTTLENECK, metric), [BOTTLENECK], TREE_DIMS
        )
    return answer


def mistakes_table(answer: Answer) -> str:
    """Return a Markdown table with a row for each measure and method and a column for each dimension."""
    rows: list[list[str]] = []
    for name, by_method in answer.items():
        digits = METRICS[name][1] if name in METRICS else 3
        for label, method in MISTAKES.items():
            if method in by_method:
                rows.append(
                    [
                        name,
                        label,
                        *(
                            cell_text(by_method[method][str(dim)], digits)
                            for dim in TREE_DIMS
                        ),
                    ]
                )
    return markdown(["measure", "method", *(f"n = {dim}" for dim in TREE_DIMS)], rows)


def scratch() -> Answer:
    """Return the accuracies of networks trained from scratch, by number of epochs (8 or 20), mapping and dimension."""
    short = paired("meaning/scratch_short.csv", "best, random")
    long = paired("meaning/scratch.csv", "best, random")
    names = {"random": "at random", "align": "aligned", "oppose": "opposed"}
    answer: dict[str, Answer] = {}
    for epochs, found in (("8", short), ("20", long)):
        answer[epochs] = {
            label: found.get(f"best, {mapping}", {}) for mapping, label in names.items()
        }
    answer["20"][LAYER] = long[LAYER]
    return answer


def scratch_table(answer: Answer) -> str:
    """Return a Markdown table with a row for each number of epochs and dimension, and a column for each mapping."""
    labels = ("at random", "aligned", "opposed")
    rows: list[list[str]] = []
    for epochs, found in answer.items():
        for dim in found["at random"]:
            rows.append(
                [epochs, dim, *(cell_text(found[label].get(dim)) for label in labels)]
            )
    return markdown(["epochs", "n", *labels], rows)


def mnist() -> Answer:
    """Return the accuracies on MNIST, by method and dimension."""
    return paired("meaning/mnist.csv", "best, random")


def mnist_table(answer: Answer) -> str:
    """Return a Markdown table with a row for each dimension.

    The columns are the accuracy of random mappings, and the differences from it of aligned and of opposed mappings.
    """
    methods = {
        mapping: answer[f"best, {mapping}"] for mapping in ("random", "align", "oppose")
    }
    rows: list[list[str]] = []
    for dim, cell in methods["random"].items():
        gains = [
            difference_with_half(methods[mapping][dim])
            for mapping in ("align", "oppose")
        ]
        rows.append([dim, f"{cell[0]:.2f}", *gains])
    return markdown(
        ["n", "at random", "aligned \u2212 random", "opposed \u2212 random"], rows
    )


def mlp() -> Answer:
    """Return the accuracies of the methods in `MLP`, trained with a hidden layer, by method and dimension."""
    return part(paired("meaning/mlp.csv", BOTTLENECK), MLP.values(), DIMS)


def gain_over_bottleneck(answer: Answer, label: str, dims: tuple[int, ...]) -> str:
    """Return the range of the difference in accuracy, a method minus the learned bottleneck, as text.

    Args:
        answer: Answer of the maker.
        label: Key of `MLP` for the method.
        dims: Dimensions to include.
    """
    values = [answer[MLP[label]][str(dim)][2] for dim in dims]
    return f"{signed(min(values), 1)} to {signed(max(values), 1)}"


SOFT_CAP = (
    named_preset("soft_cap", 100, 64),
    named_preset("lindstrom", 100, 64),
    known_code(100, 16),
)
FIVE = (0, 1, 2, 3, 4)
THREE = (0, 1, 2)

MAKERS = (
    Maker(
        "meaning_features",
        sweep("features"),
        features,
        {
            "table": lambda answer: methods_table(answer, FEATURES, DIMS),
            "similarities": lambda answer: without_differences(answer, SIMILARITIES),
            "random_16": partial(mean_of, label="best, at random"),
            "aligned_16": partial(mean_of, label="best, aligned"),
            "designed_16": partial(mean_of, label="semantic, learned, z halved"),
            "bottleneck_16": partial(mean_of, label=BOTTLENECK),
            "opposition_cost": opposition_cost,
            "designed_difference_16": partial(designed_differences, dims=(16,)),
            "designed_differences": partial(designed_differences, dims=DIMS[2:]),
            **{
                f"evenness_gain_{dim}": partial(evenness_gain, dim=dim)
                for dim in (64, 80)
            },
            **{
                f"gain_{dim}": partial(alignment_gain, dim=dim)
                for dim in (8, 16, 32, 64)
            },
        },
        cost=STUDY,
        tables=("results/meaning/features.csv",),
        depends_on=SOFT_CAP,
        seeds=FIVE,
    ),
    Maker(
        "meaning_full",
        sweep("features"),
        partial(full_dimension, "meaning/features.csv"),
        {
            "frames": frames_table,
            "learned": partial(full_mean, label=LAYER),
            "simplex": partial(full_mean, label="simplex"),
            "difference": partial(full_difference, label="simplex"),
            "lindstrom": partial(full_mean, label="simplex, fixed, lindstrom"),
        },
        cost=STUDY,
        tables=("results/meaning/features.csv",),
        depends_on=(named_preset("soft_cap", 100, 99),),
        seeds=FIVE,
    ),
    Maker(
        "meaning_scarce",
        sweep("scarce"),
        scarce,
        {
            "few": partial(scarce_table, case=FEW),
            "noisy": partial(scarce_table, case=NOISY),
        },
        cost=STUDY,
        tables=("results/meaning/scarce.csv",),
        depends_on=SOFT_CAP,
        seeds=FIVE,
    ),
    Maker(
        "meaning_mistakes",
        sweep("features"),
        mistakes,
        {"table": mistakes_table},
        cost=STUDY,
        tables=("results/meaning/features.csv",),
        depends_on=SOFT_CAP,
        seeds=FIVE,
    ),
    Maker(
        "meaning_scratch",
        sweep("scratch"),
        scratch,
        {
            "table": scratch_table,
            "learned": lambda answer: f"{answer['20'][LAYER]['100'][0]:.1f}%",
        },
        cost=STUDY,
        tables=("results/meaning/scratch_short.csv", "results/meaning/scratch.csv"),
        depends_on=SOFT_CAP,
        seeds=THREE,
    ),
    Maker(
        "meaning_mnist",
        sweep("mnist"),
        mnist,
        {
            "table": mnist_table,
            "learned": lambda answer: f"{answer[LAYER]['10'][0]:.2f}%",
        },
        cost=STUDY,
        tables=("results/meaning/mnist.csv",),
        depends_on=(named_preset("soft_cap", 10, 9), known_code(10, 6)),
        seeds=THREE,
    ),
    Maker(
        "meaning_mlp",
        sweep("mlp"),
        mlp,
        {
            "table": lambda answer: methods_table(answer, MLP, DIMS),
            "random_16": partial(mean_of, label="best, at random"),
            "aligned_16": partial(mean_of, label="best, aligned"),
            "designed_16": partial(mean_of, label="semantic, learned, z halved"),
            "bottleneck_16": partial(mean_of, label=BOTTLENECK),
            "designed_gain": partial(
                gain_over_bottleneck, label="semantic, learned, z halved", dims=DIMS
            ),
            "aligned_gain": partial(
                gain_over_bottleneck, label="best, aligned", dims=(32, 48, 64, 80)
            ),
        },
        cost=STUDY,
        tables=("results/meaning/mlp.csv",),
        depends_on=SOFT_CAP,
        seeds=FIVE,
    ),
    Maker(
        "meaning_mlp_full",
        sweep("mlp"),
        partial(full_dimension, "meaning/mlp.csv"),
        {
            "learned": partial(full_mean, label=LAYER),
            "simplex": partial(full_mean, label="simplex"),
            "difference": partial(full_difference, label="simplex"),
            "frame": lambda answer: (
                f"{answer['accuracy'][FRAMES['frame, 20 x 5']][0]:.2f}"
            ),
            "levels": lambda answer: (
                f"{answer['accuracy'][FRAMES['frame, five levels']][0]:.2f}"
            ),
        },
        cost=STUDY,
        tables=("results/meaning/mlp.csv",),
        depends_on=(named_preset("soft_cap", 100, 99),),
        seeds=FIVE,
    ),
)
