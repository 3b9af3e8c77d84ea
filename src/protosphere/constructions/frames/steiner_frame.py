"""Equiangular lines from all pairs of v points and a Hadamard matrix, with both unit vectors of each line."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache, partial

import numpy as np

from protosphere.code.placement import Placement
from protosphere.code.structures import Plain
from protosphere.codes.hadamard import hadamard, hadamard_orders
from protosphere.constructions.families import LARGEST_DIM, Member, family
from protosphere.types import Points


@lru_cache
def _members() -> tuple[Member, ...]:
    orders = (v for v in hadamard_orders(LARGEST_DIM) if v >= 4 and v * (v - 1) <= 2 * LARGEST_DIM)
    return tuple(
        Member(v * (v - 1) // 2, 2 * v * v, Fraction(1, v - 1), _recipe(v), partial(_place, v)) for v in orders
    )


@family(
    summary="Steiner equiangular lines: n = v(v-1)/2 for a Hadamard order v >= 4, K <= 2v^2, max cosine 1/(v-1)",
    reference="Fickus, Mixon & Tremain (2012); Goethals & Seidel (1970)",
)
def steiner_frame(largest_dim: int) -> Iterable[Member]:
    """v^2 equiangular lines: a coordinate for each pair of v things, and for each thing v vectors on its pairs.

    Those of one thing carry the rows of a Hadamard matrix without its constant column; those of two things meet in
    one coordinate. One vector of each line first, then their negatives.
    """
    return (member for member in _members() if member.dim <= largest_dim)


def steiner_points(v: int) -> Points:
    """One unit vector of each of the v^2 lines, those of the first thing first."""
    matrix = hadamard(v)
    rows = (matrix * matrix[:, :1])[:, 1:] / np.sqrt(v - 1)
    things, places = np.triu_indices(v, k=1)
    points = np.zeros((v, v, len(things)))
    for thing in range(v):
        points[thing][:, (things == thing) | (places == thing)] = rows
    return points.reshape(v * v, -1)


def _place(v: int, count: int) -> Placement:
    points = steiner_points(v)
    signed = np.concatenate([points, -points])[:count]
    return Placement(_recipe(v), Plain(signed, Fraction(2, v - 1)))


def _recipe(v: int) -> str:
    return f"Steiner frame of all pairs of {v}, both signs"
