"""Defaults of the package as a few numbers: what a default head does with fixed inputs, and how good a default code is.

A record keeps these numbers. Where they are no longer what the package does, a default has changed since the record
was made, and its numbers must be made again. The inputs are combinations of prototypes, so that the numbers do not
depend on how a code is rotated.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import torch
from torch import Tensor

import protosphere as ps
from protosphere.nn import PrototypeHead

LENGTHS = (0.1, 1.0, 10.0, 100.0)
"""Norms of the inputs: the slope of the logits at 0, where they bend, and where they end."""

CLASSES = 4
"""Logits of so many classes are kept."""

DIGITS = 6
"""Significant digits that are kept."""


@dataclass(frozen=True)
class Probe:
    """One default: its name, and a function that returns its numbers."""

    name: str
    measure: Callable[[], dict[str, Any]]


def default_head(num_classes: int, dim: int) -> Probe:
    """Return the probe of `PrototypeHead(num_classes, dim=dim)`: its code, preset, scale and loss.

    Choose a size whose code has a closed form: a search may end elsewhere on another machine.
    """
    return Probe(
        f"PrototypeHead({num_classes}, dim={dim})",
        lambda: _head_numbers(num_classes, dim, None),
    )


def named_preset(preset: str, num_classes: int, dim: int) -> Probe:
    """Return the probe of a head with this preset, by whatever default it has for the rest."""
    name = f"PrototypeHead({num_classes}, dim={dim}, preset={preset!r})"
    return Probe(name, lambda: _head_numbers(num_classes, dim, preset))


def default_score(num_classes: int, dim: int) -> Probe:
    """Return the probe of `PrototypeHead(num_classes, dim=dim).score(z)`."""
    name = f"PrototypeHead({num_classes}, dim={dim}).score(z)"
    return Probe(name, lambda: _score_numbers(num_classes, dim))


def default_preset() -> Probe:
    """Return the probe of which preset is the default."""
    return Probe(
        "default preset", lambda: {"preset": _made_head(3, 2, None).preset.name}
    )


def known_code(num_classes: int, dim: int) -> Probe:
    """Return the probe of `ps.best(num_classes=num_classes, dim=dim, iterations=0)`."""
    name = f"best({num_classes}, {dim}, iterations=0)"
    return Probe(
        name, lambda: {"max_cosine": rounded(_known_max_cosine(num_classes, dim))}
    )


@cache
def _known_max_cosine(num_classes: int, dim: int) -> float:
    return float(ps.best(num_classes=num_classes, dim=dim, iterations=0).max_cosine)


@cache
def _made_head(num_classes: int, dim: int, preset: str | None) -> PrototypeHead:
    return PrototypeHead(num_classes, dim=dim, preset=preset)


@cache
def _head_numbers(num_classes: int, dim: int, preset: str | None) -> dict[str, Any]:
    head = _made_head(num_classes, dim, preset)
    prototypes = head.prototypes()
    z = _inputs(prototypes)
    target = torch.zeros(len(z), dtype=torch.int64)
    cosines = (prototypes @ prototypes.T)[~torch.eye(num_classes, dtype=torch.bool)]
    with torch.no_grad():
        return {
            "preset": head.preset.name,
            "max_cosine": rounded(cosines.max()),
            "mean_squared_cosine": rounded(cosines.square().mean()),
            "logits": rounded(head(z)[:, :CLASSES]),
            "loss": rounded(head.loss(z, target)),
        }


def _score_numbers(num_classes: int, dim: int) -> dict[str, Any]:
    head = _made_head(num_classes, dim, None)
    with torch.no_grad():
        return {"score": rounded(head.score(_inputs(head.prototypes())))}


def _inputs(prototypes: Tensor) -> Tensor:
    """Return inputs between the first two prototypes, nearer to the first, one of each length."""
    direction = torch.nn.functional.normalize(2 * prototypes[0] + prototypes[1], dim=0)
    return torch.tensor(LENGTHS)[:, None] * direction


def rounded(values: Any) -> Any:
    """Return numbers, or nested lists of them, to `DIGITS` significant digits."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim:
        return [rounded(part) for part in array]
    return float(f"{float(array):.{DIGITS}g}")
