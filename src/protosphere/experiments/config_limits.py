"""Between which numbers the settings of a config may lie."""

from collections.abc import Mapping
from typing import Any

from protosphere.errors import InvalidArgumentError, as_flag, as_integer, brief

RANGES = {
    **dict.fromkeys(("dim", "batch_size"), (1, 1 << 24)),
    "seed": (0, (1 << 63) - 1),
    **dict.fromkeys(("prototype_seed", "split_seed"), (-1, (1 << 63) - 1)),
    **dict.fromkeys(("epochs", "rehearsal", "reassignment"), (0, 1 << 30)),
    "pad": (0, 1 << 12),
    "threads": (0, 1 << 10),
    "train_images": (0, 1 << 40),
}
ABOVE_ZERO = ("lr", "margin")
BELOW = {
    **dict.fromkeys(("momentum", "validation", "label_noise"), 1.0),
    "rotation_degrees": 180.001,
    "weight_decay": 1e30,
    "warmup": 1e9,
    **dict.fromkeys(ABOVE_ZERO, 1e38),  # single precision holds no larger number
}


def check_numbers(settings: Mapping[str, Any]) -> None:
    """Refuse a number or a flag of a config that is none, or out of bounds."""
    for name, (least, most) in RANGES.items():
        if as_integer(name, settings[name], minimum=least) > most:
            raise InvalidArgumentError(
                f"'{name}' must be at most {most}, got {brief(settings[name])}"
            )
    for name, limit in BELOW.items():
        value = settings[name]
        positive = name in ABOVE_ZERO
        number = (
            isinstance(value, (int, float))
            and not isinstance(value, bool)
            and 0 <= value < limit
        )
        if not number or (positive and value == 0):
            least = "above 0" if positive else "of at least 0"
            raise InvalidArgumentError(
                f"'{name}' must be a number {least} and below {limit:g}, got {brief(value)}"
            )
    for name in ("flip", "augment_validation"):
        as_flag(name, settings[name])
