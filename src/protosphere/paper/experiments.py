"""The paper's own experiments: section 4.3 and appendix C as sweeps, at the printed recipe or at what time allows."""

from collections.abc import Mapping
from typing import Any

from protosphere.errors import as_choice
from protosphere.training.recipe import Recipe
from protosphere.training.sweep_files import sweep_recipes

Grid = dict[str, Any]
BOTH = ["fixed", "random"]

_MNIST: list[Grid] = [
    {"schemes": ["one_hot"], "dims": [10]},
    {"schemes": ["simplex"], "dims": [9]},
    {"schemes": ["bch"], "dims": [7, 15, 31, 63], "mappings": BOTH},
    {"schemes": ["reed_muller"], "dims": [4, 8, 16, 32, 64], "mappings": BOTH},
    {"schemes": ["log_sum_exp", "mean_row_max"], "dims": [4, 8, 16, 32, 64]},
]
_CIFAR100: list[Grid] = [
    {"schemes": ["one_hot"], "dims": [100]},
    {"schemes": ["simplex"], "dims": [99]},
    {"schemes": ["bch"], "dims": [15, 31, 63, 127, 255], "mappings": BOTH},
    {"schemes": ["reed_muller"], "dims": [16, 32, 64, 128, 256], "mappings": BOTH},
    {"schemes": ["log_sum_exp", "mean_row_max"], "dims": [16, 31, 32, 63, 64, 127, 128, 256]},
]
_CIFAR100_CORE: list[Grid] = [
    {"schemes": ["one_hot"], "dims": [100]},
    {"schemes": ["simplex"], "dims": [99]},
    {"schemes": ["bch"], "dims": [31, 63], "mappings": ["random"]},
    {"schemes": ["reed_muller"], "dims": [64], "mappings": BOTH},
    {"schemes": ["log_sum_exp", "mean_row_max"], "dims": [63]},
]

PLANS: Mapping[tuple[str, str], Grid] = {
    ("mnist", "quick"): {"recipe": "quick-mnist", "epochs": 6, "seeds": [0, 1], "grid": _MNIST},
    ("mnist", "hours"): {"recipe": "quick-mnist", "epochs": 20, "seeds": [0, 1, 2, 3, 4], "grid": _MNIST},
    ("mnist", "paper"): {"recipe": "paper-mnist", "seeds": [0, 1, 2, 3, 4], "grid": _MNIST},
    ("cifar100", "quick"): {"recipe": "quick-cifar100", "epochs": 3, "seeds": [0, 1], "grid": _CIFAR100_CORE},
    ("cifar100", "hours"): {"recipe": "quick-cifar100", "epochs": 20, "seeds": [0, 1, 2], "grid": _CIFAR100},
    ("cifar100", "paper"): {"recipe": "paper-cifar100", "seeds": [0, 1, 2, 3, 4], "grid": _CIFAR100},
}
EXPERIMENTS = ("mnist", "cifar100")
BUDGETS = ("quick", "hours", "paper")


def paper_runs(experiment: str, budget: str) -> list[Recipe]:
    """The runs of an experiment: K = 10, n = 4 ... 64, or K = 100, n = 16 ... 256; codes at their native lengths.

    >>> len(paper_runs("mnist", "paper"))
    150
    """
    as_choice("experiment", experiment, EXPERIMENTS)
    as_choice("budget", budget, BUDGETS)
    return sweep_recipes(PLANS[experiment, budget], f"{experiment}, {budget}")


def named_sweep(name: str) -> list[Recipe] | None:
    """The runs of `paper-mnist`, `quick-cifar100` and their like; None for any other name."""
    budget, _, experiment = name.partition("-")
    return paper_runs(experiment, budget) if (experiment, budget) in PLANS else None
