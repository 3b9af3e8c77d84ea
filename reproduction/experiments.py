"""The experiments of Lindström et al. (2024), section 4.3 and appendix C, as sweeps.

They are run with the config of the paper or with smaller budgets. The sweeps also contain methods that the paper does
not compare with (learned layers, the best known code, aligned and semantic prototypes), and runs in which only one of
three seeds varies.
"""

from collections.abc import Mapping
from typing import Any

from protosphere.errors import as_choice
from protosphere.experiments.config import TrainingConfig
from protosphere.experiments.sweep_files import sweep_configs

Grid = dict[str, Any]
BOTH = ["fixed", "random"]
PRESET = "lindstrom"
"""Preset of the head as in Lindström et al. (2024)."""

_EQUIDISTANT_100: list[Grid] = [
    {"schemes": ["one_hot"], "dims": [100]},
    {"schemes": ["simplex"], "dims": [99]},
]

_MNIST: list[Grid] = [
    {"schemes": ["one_hot"], "dims": [10]},
    {"schemes": ["simplex"], "dims": [9]},
    {"schemes": ["bch"], "dims": [7, 15, 31, 63], "mappings": BOTH},
    {"schemes": ["reed_muller"], "dims": [4, 8, 16, 32, 64], "mappings": BOTH},
    {"schemes": ["log_sum_exp", "mean_row_max"], "dims": [4, 8, 16, 32, 64]},
]
_CIFAR100: list[Grid] = [
    *_EQUIDISTANT_100,
    {"schemes": ["bch"], "dims": [15, 31, 63, 127, 255], "mappings": BOTH},
    {"schemes": ["reed_muller"], "dims": [16, 32, 64, 128, 256], "mappings": BOTH},
    {
        "schemes": ["log_sum_exp", "mean_row_max"],
        "dims": [16, 31, 32, 63, 64, 127, 128, 256],
    },
]
_CIFAR100_CORE: list[Grid] = [
    *_EQUIDISTANT_100,
    {"schemes": ["bch"], "dims": [31, 63], "mappings": ["random"]},
    {"schemes": ["reed_muller"], "dims": [64], "mappings": BOTH},
    {"schemes": ["log_sum_exp", "mean_row_max"], "dims": [63]},
]
_CIFAR100_CLAIMS: list[Grid] = [
    *_EQUIDISTANT_100,
    {"schemes": ["bch"], "dims": [31, 63, 127, 255], "mappings": BOTH},
    {"schemes": ["reed_muller"], "dims": [64, 128, 256], "mappings": BOTH},
    {"schemes": ["log_sum_exp"], "dims": [31, 63, 127, 128, 256]},
    {"schemes": ["mean_row_max"], "dims": [31, 63, 127]},
    {
        "schemes": ["best"],
        "dims": [31, 64],
        "mappings": ["random", "align"],
        "scheme_options": {"iterations": 0},
    },
    {"heads": ["linear", "bottleneck"], "dims": [64]},
]
"""Runs that the claims need, and runs of other methods for comparison."""

_ONE_SEED: Grid = {"prototype_seeds": [0], "split_seeds": [0], "seeds": [0]}
_LENGTHS = [15, 16, 31, 32, 63, 64, 127, 128, 255, 256]
_FEATURES: list[Grid] = [
    {"schemes": ["one_hot"], "dims": [100], "mappings": BOTH},
    {"schemes": ["simplex"], "dims": [99], "mappings": BOTH},
    {"schemes": ["bch"], "dims": _LENGTHS[::2], "mappings": BOTH},
    {"schemes": ["reed_muller"], "dims": _LENGTHS[1::2], "mappings": BOTH},
    {"schemes": ["log_sum_exp", "mean_row_max"], "dims": _LENGTHS, "mappings": BOTH},
    {"heads": ["linear", "bottleneck"], "dims": _LENGTHS[:8]},
    {
        "schemes": ["best"],
        "dims": _LENGTHS,
        "mappings": ["random", "align", "oppose"],
        "scheme_options": {"iterations": 0},
    },
    {"schemes": ["log_sum_exp"], "dims": _LENGTHS, "mappings": ["align"]},
    {"schemes": ["uniform"], "dims": _LENGTHS},
    {"schemes": ["cross_polytope"], "dims": _LENGTHS[4:]},
    {"schemes": ["bch"], "dims": _LENGTHS[::2], "mappings": ["align", "oppose"]},
    {
        "schemes": ["reed_muller"],
        "dims": _LENGTHS[1::2],
        "mappings": ["align", "oppose"],
    },
    {
        "schemes": ["semantic"],
        "dims": _LENGTHS[:8],
        "mappings": ["align"],
        "similarity": "logits",
    },
    *(
        {"schemes": [scheme], "dims": [dim], "mappings": ["random"]}
        | _ONE_SEED
        | {varied: list(range(20))}
        for scheme, dim in (("bch", 31), ("bch", 63), ("log_sum_exp", 64))
        for varied in _ONE_SEED
    ),
]
_FEATURES_CONFIG: Grid = {
    "config": "quick-features",
    "backbone": "mlp(512)",
    "epochs": 10,
    "batch_size": 512,
    "lr": 0.1,
    "precision": "bf16-mixed",
    "seeds": [0, 1, 2, 3, 4],
    "grid": _FEATURES,
}
"""Sweep of the experiment on features, with ten epochs, because twenty epochs are no better.

Held-out accuracies after ten and twenty epochs: one-hot 67.4 and 67.1 percent, BCH in 31 dimensions 61.7 and 61.4,
log-sum-exp in 15 dimensions 57.7 and 57.1.
"""

_SMALL_CONFIG: Grid = {
    "config": "quick-cifar100",
    "backbone": "strided",
    "epochs": 15,
    "batch_size": 256,
    "lr": 0.2,
    "pad": 2,
    "rotation_degrees": 0.0,
    "precision": "bf16-mixed",
    "seeds": [0, 1, 2, 3, 4, 5, 6],
    "grid": _CIFAR100_CLAIMS,
}
"""Sweep of short runs: a cheap network, smaller batches and images without rotation, for high accuracy in a minute."""

PLANS: Mapping[tuple[str, str], Grid] = {
    ("mnist", "quick"): {
        "config": "quick-mnist",
        "epochs": 6,
        "seeds": [0, 1],
        "grid": _MNIST,
    },
    ("mnist", "hours"): {
        "config": "quick-mnist",
        "precision": "bf16-mixed",
        "seeds": [0, 1, 2, 3, 4],
        "grid": _MNIST,
    },
    ("mnist", "paper"): {
        "config": "paper-mnist",
        "seeds": [0, 1, 2, 3, 4],
        "grid": _MNIST,
    },
    ("cifar100", "quick"): {
        "config": "quick-cifar100",
        "epochs": 3,
        "seeds": [0, 1],
        "grid": _CIFAR100_CORE,
    },
    ("cifar100", "features"): _FEATURES_CONFIG,
    ("cifar100", "hours"): _SMALL_CONFIG,
    ("cifar100", "paper"): {
        "config": "paper-cifar100",
        "seeds": [0, 1, 2, 3, 4],
        "grid": _CIFAR100,
    },
}
DECISIVE = (("cifar100", "features"), ("cifar100", "hours"), ("mnist", "hours"))
"""Pairs (experiment, budget) that together decide all claims that can be decided on CPUs."""

EXPERIMENTS = ("mnist", "cifar100")
BUDGETS = ("quick", "features", "hours", "paper")


def paper_runs(experiment: str, budget: str) -> list[TrainingConfig]:
    """Return the configs of the runs of an experiment.

    MNIST has K = 10 classes and n = 4 ... 64; CIFAR-100 has K = 100 classes and n = 15 ... 256. The configs are sorted
    by seed, so that an interrupted sweep has run the whole grid with fewer seeds.

    Args:
        experiment: One of `EXPERIMENTS`.
        budget: One of `BUDGETS`.

    >>> len(paper_runs("mnist", "paper"))
    150
    """
    as_choice("experiment", experiment, EXPERIMENTS)
    as_choice(
        "budget",
        as_choice("budget", budget, BUDGETS),
        [one for which, one in PLANS if which == experiment],
    )
    plan = {"preset": PRESET} | PLANS[experiment, budget]
    configs = sweep_configs(plan, f"{experiment}, {budget}")
    return sorted(configs, key=lambda config: config.seed)
