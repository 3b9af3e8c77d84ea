"""Between which numbers the settings of a recipe may lie."""

from collections.abc import Mapping
from typing import Any

from protosphere.errors import InvalidArgumentError, as_flag, as_integer, brief

RANGES = {
    "dim": (1, 1 << 24),
    "batch_size": (1, 1 << 24),
    "seed": (0, (1 << 63) - 1),
    "prototype_seed": (-1, (1 << 63) - 1),
    "split_seed": (-1, (1 << 63) - 1),
    "epochs": (0, 1 << 30),
    "rehearsal": (0, 1 << 30),
    "reassignment": (0, 1 << 30),
    "pad": (0, 1 << 12),
    "threads": (0, 1 << 10),
    "train_images": (0, 1 << 40),
}
BELOW = {
    "momentum": 1.0,
    "validation": 1.0,
    "label_noise": 1.0,
    "rotation_degrees": 180.001,
    "weight_decay": 1e30,
    "warmup": 1e9,
}
LARGEST_RATE = 1e38
"""Of learning: single precision holds no larger number."""


def check_numbers(settings: Mapping[str, Any]) -> None:
    """Refuse a number or a flag of a recipe that is none, or out of bounds."""
    for name, (least, most) in RANGES.items():
        if as_integer(name, settings[name], minimum=least) > most:
            raise InvalidArgumentError(f"'{name}' must be at most {most}, got {brief(settings[name])}")
    for name, limit in BELOW.items():
        _within(name, settings[name], limit)
    for name in ("lr", "margin"):
        _within(name, settings[name], LARGEST_RATE, above_zero=True)
    for name in ("flip", "augment_validation"):
        as_flag(name, settings[name])


def _within(name: str, value: object, limit: float, *, above_zero: bool = False) -> None:
    """Refuse what is no number of at least 0, or above it, and below `limit`."""
    number = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < limit
    if not number or (above_zero and value == 0):
        least = "above 0" if above_zero else "of at least 0"
        raise InvalidArgumentError(f"'{name}' must be a number {least} and below {limit:g}, got {brief(value)}")
