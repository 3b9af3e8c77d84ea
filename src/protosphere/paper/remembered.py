"""Descents that more than one figure shows, made once: a thousand classes take half a minute."""

from typing import Any

from protosphere.code.spherical_code import SphericalCode
from protosphere.constructions import construct
from protosphere.types import Progress, ignore

DESCENTS = ("mean_row_max", "log_sum_exp")
KEPT = 12
"""How many codes are held, the oldest going first: a few megabytes each at a thousand classes."""

_codes: dict[tuple[str, int, int, int], SphericalCode] = {}


def prototypes(
    scheme: str, *, num_classes: int, dim: int, seed: int, progress: Progress = ignore, **options: Any
) -> SphericalCode:
    """`construct`, that answers the same again where a descent at its default options was asked for lately."""
    if scheme not in DESCENTS or options:
        return construct(scheme, num_classes=num_classes, dim=dim, seed=seed, progress=progress, **options)
    key = (scheme, num_classes, dim, seed)
    if key not in _codes:
        code = construct(scheme, num_classes=num_classes, dim=dim, seed=seed, progress=progress)
        while len(_codes) >= KEPT:
            del _codes[next(iter(_codes))]
        _codes[key] = code
    return _codes[key]
