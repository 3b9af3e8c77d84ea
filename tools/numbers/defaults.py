"""Defaults of the package, each described by a few numbers.

A probe measures one default. For example, the probe of a default head computes its logits for fixed inputs. The record
of a maker keeps the numbers of the probes on which its answer depends. If a probe now returns other numbers, a default
has changed since the record was made, and the maker must run again. The inputs are combinations of prototypes, so that
rotating a code does not change the numbers.
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
"""Norms of the inputs. They show the logits for small, medium and large norms."""

CLASSES = 4
"""Number of classes whose logits are kept."""

DIGITS = 6
"""Number of significant digits that are kept."""


@dataclass(frozen=True)
class Probe:
    """One default: its name, and a function that measures it and returns the results by name."""

    name: str
    measure: Callable[[], dict[str, Any]]


def default_head(num_classes: int, dim: int) -> Probe:
    """Return the probe of `PrototypeHead(num_classes, dim=dim)`, which measures its code, preset, logits and loss.

    Choose a size whose code has a closed form, because the result of a search may depend on the machine.
    """
    return Probe(
        f"PrototypeHead({num_classes}, dim={dim})",
        lambda: _head_numbers(num_classes, dim, None),
    )


def named_preset(preset: str, num_classes: int, dim: int) -> Probe:
    """Return the probe of `PrototypeHead(num_classes, dim=dim, preset=preset)`."""
    name = f"PrototypeHead({num_classes}, dim={dim}, preset={preset!r})"
    return Probe(name, lambda: _head_numbers(num_classes, dim, preset))


def default_score(num_classes: int, dim: int) -> Probe:
    """Return the probe of `PrototypeHead(num_classes, dim=dim).score(z)`."""
    name = f"PrototypeHead({num_classes}, dim={dim}).score(z)"
    return Probe(name, lambda: _score_numbers(num_classes, dim))


def default_preset() -> Probe:
    """Return the probe that gives the name of the default preset."""
    return Probe(
        "default preset", lambda: {"preset": _made_head(3, 2, None).preset.name}
    )


def known_code(num_classes: int, dim: int) -> Probe:
    """Return the probe of the maximum cosine of `ps.best(num_classes=num_classes, dim=dim, iterations=0)`."""
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
    """Return inputs with the norms `LENGTHS`, all in the direction of 2 `prototypes[0]` + `prototypes[1]`."""
    direction = torch.nn.functional.normalize(2 * prototypes[0] + prototypes[1], dim=0)
    return torch.tensor(LENGTHS)[:, None] * direction


def rounded(values: Any) -> Any:
    """Return a number, or nested lists of numbers, rounded to `DIGITS` significant digits."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim:
        return [rounded(part) for part in array]
    return float(f"{float(array):.{DIGITS}g}")
