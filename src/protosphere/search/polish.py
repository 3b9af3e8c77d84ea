"""From almost optimal to machine precision: Newton's method on the pairs that touch.

At a local optimum some pairs, the active ones, share the largest cosine mu, and multipliers l_ij >= 0 that sum to one
balance their gradients. Those are equations in points, mu and multipliers. Newton's method follows them with multiplier
times slack at a target that falls to zero, so that no active set need be guessed (a primal-dual interior-point method,
Nocedal and Wright 2006, chapter 19): one linear solve a step and no linear program. Large problems use Gauss-Newton on
"all active cosines equal" alone, by LSMR (Fong and Saunders 2011).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from protosphere.geometry.gram import gram_blocks, max_cosine, point_rows
from protosphere.geometry.sphere import normalized
from protosphere.types import Indices, Points

if TYPE_CHECKING:
    from scipy.sparse import csr_array

DENSE = 1300
"""Unknowns K n up to which the Newton system is factored whole; above, only matrix-vector products are made."""

QUICK = 500
"""Unknowns up to which every attempt is made; with more, up to `DENSE`, the likeliest alone."""

WIDTHS = (1e-4, 1e-5, 1e-6, 1e-7, 1e-9)
"""How far below the largest cosine a pair may be to be made equal to it, attempt after attempt."""

STARTS = (1e-4, 1e-5, 1e-5, 1e-6)
"""How far above the largest cosine the level starts, attempt after attempt."""

MOST_ENTRIES = 1 << 20
"""Pairs times n above which even matrix-vector products are too many: such an attempt is left out."""

MOST_LSMR_ENTRIES = 1.5e8
"""Entries of the matrix times steps of LSMR: less than a second's."""

FACTORING = 0.25  # products of a Newton step, of the cube of its unknowns, counted as those of a descent
MULTIPLYING = 12.0  # products of a step of LSMR, of its entries, counted so
ROUNDS = 30

NEAR = 1e-2
"""Pairs further below the largest cosine are left out."""

SHRINK = 0.1

GAP = 3e-15
"""Sum of multiplier times slack at which the level is the optimum's to the last digit."""

DAMPING = 1e-10
"""Added to the diagonal to keep the system regular: rotations change no cosine."""

LONGEST = 0.05
"""A step that moves a point further is rejected."""


@dataclass
class Allowance:
    """What is left for polishing: products, and whether the time is up."""

    products: float = float("inf")
    expired: Callable[[], bool] = lambda: False

    def spend(self, products: float) -> bool:
        """Whether there is enough left for that, which is then spent."""
        if products > self.products or self.expired():
            return False
        self.products -= products
        return True


@dataclass(frozen=True, eq=False)
class Contacts:
    """Pairs (first[p], second[p]) and their cosines."""

    first: Indices
    second: Indices
    cosines: Points


def contacts(points: Points, above: float) -> Contacts:
    """All pairs whose cosine is above a value, found blockwise."""
    found: list[tuple[Indices, Indices, Points]] = []
    for i, j, gram in gram_blocks(point_rows(points)):
        a, b = np.nonzero(gram > above if i < j else np.triu(gram > above, k=1))
        found.append((a + i, b + j, gram[a, b].astype(np.float64)))
    return Contacts(*map(np.concatenate, zip(*found, strict=True)))


def jacobian(points: Points, pairs: Contacts) -> csr_array:
    """The derivative of each pair's cosine by all points, along the sphere: x_j - c x_i for i, x_i - c x_j for j."""
    from scipy.sparse import csr_array

    one = points[pairs.first]
    other = points[pairs.second]
    cosine = pairs.cosines[:, None]
    values = np.concatenate([other - cosine * one, one - cosine * other], axis=1)
    places: Indices = np.arange(points.size, dtype=np.int64).reshape(points.shape)
    columns: Indices = np.concatenate(
        [places[pairs.first], places[pairs.second]], axis=1
    )
    starts: Indices = np.arange(0, columns.size + 1, columns.shape[1], dtype=np.int64)
    return csr_array(
        (values.ravel(), columns.ravel(), starts), shape=(len(columns), points.size)
    )


def _curvature(points: Points, pairs: Contacts, multipliers: Points) -> Points:
    """The Hessian of sum l_ij cos_ij along the sphere, as a dense matrix."""
    count, dim = points.shape
    weights = np.zeros((count, count))
    weights[pairs.first, pairs.second] = multipliers
    weights += weights.T
    ends = np.concatenate([pairs.first, pairs.second])
    pull = np.bincount(ends, np.tile(multipliers * pairs.cosines, 2), count)
    tangent = np.eye(dim) - points[:, :, None] * points[:, None, :]
    blocks = np.einsum("ij,iab,jbc->iajc", weights, tangent, tangent, optimize=True)
    blocks[np.arange(count), :, np.arange(count), :] -= pull[:, None, None] * tangent
    return blocks.reshape(points.size, points.size)


def _newton_step(
    points: Points,
    pairs: Contacts,
    multipliers: Points,
    slack: Points,
    target: float,
    damping: float,
) -> Points:
    """Step of all points and, last, of the level above them, towards multiplier times slack = `target` everywhere."""
    slopes = jacobian(points, pairs)
    ratio = multipliers / slack
    size = points.size
    system = np.empty((size + 1, size + 1))
    system[:size, :size] = (slopes.T @ (slopes * ratio[:, None])).toarray()
    system[:size, :size] += _curvature(points, pairs, multipliers)
    system[np.arange(size), np.arange(size)] += (
        damping + 1e-14 * system.diagonal()[:size].max()
    )
    system[:size, -1] = system[-1, :size] = -(slopes.T @ ratio)
    system[-1, -1] = ratio.sum()
    barrier = target / slack
    right = np.append(-(slopes.T @ barrier), barrier.sum() - 1)
    return np.linalg.solve(system, right).astype(np.float64)


def _gauss_newton_step(points: Points, pairs: Contacts, allowance: Allowance) -> Points:
    """The shortest step that makes all active cosines equal, to first order."""
    from scipy.sparse import csr_array, hstack
    from scipy.sparse.linalg import lsmr

    level = csr_array(-np.ones((len(pairs.first), 1)))
    slopes = hstack([jacobian(points, pairs), level]).tocsr()
    most = min(300, int(MOST_LSMR_ENTRIES / slopes.nnz))
    step, _, steps, *_ = lsmr(
        slopes,
        pairs.cosines.max() - pairs.cosines,
        atol=1e-13,
        btol=1e-13,
        maxiter=most,
    )
    allowance.products -= MULTIPLYING * steps * slopes.nnz
    return step[:-1].reshape(points.shape)


def _fraction_to_boundary(value: Points, step: Points) -> float:
    """The longest part of a step, at most all of it, that keeps positive values positive."""
    falling = step < 0
    return min(1.0, float(np.min(-0.99 * value[falling] / step[falling], initial=1.0)))


def _interior_point(
    points: Points, start: float, allowance: Allowance
) -> tuple[Points, float]:
    """The points with the lowest cosine on the way of a primal-dual interior-point run, its level `start` above all."""
    best = current = points
    value = max_cosine(points)
    pairs = contacts(points, value - NEAR)
    level = value + start
    damping = DAMPING
    multipliers = 1 / (
        level - pairs.cosines
    )  # target / slack; the target falls to nothing
    multipliers /= multipliers.sum()
    for _ in range(ROUNDS):
        if not allowance.spend(FACTORING * points.size**3):
            break
        slack = np.maximum(level - pairs.cosines, 1e-16)
        target = SHRINK * float(multipliers @ slack) / len(slack)
        found = _newton_step(current, pairs, multipliers, slack, target, damping)
        if not np.abs(found[:-1]).max() < LONGEST:
            damping = max(100 * damping, 1e-6)
            continue
        damping = max(damping / 10, DAMPING)
        change = found[-1] - jacobian(current, pairs) @ found[:-1]
        part = _fraction_to_boundary(slack, change)
        rise = (target - multipliers * change) / slack - multipliers
        multipliers = multipliers + _fraction_to_boundary(multipliers, rise) * rise
        current = normalized(current + part * found[:-1].reshape(points.shape))
        cosines = np.einsum("ij,ij->i", current[pairs.first], current[pairs.second])
        pairs = replace(pairs, cosines=cosines)
        level = max(level + part * found[-1], float(pairs.cosines.max()))
        reached = max_cosine(current)
        if reached < value:
            best = current
            value = reached
        if target * len(slack) < GAP:
            break
    return best, value


def _gauss_newton(
    points: Points, width: float, allowance: Allowance
) -> tuple[Points, float]:
    """The best points Gauss-Newton steps reach from here, with the pairs within `width` active."""
    best = points
    value = max_cosine(points)
    for _ in range(ROUNDS):
        if not allowance.spend(float(len(points) * points.size)):
            break
        pairs = contacts(best, value - width)
        if len(pairs.first) * points.shape[1] > MOST_ENTRIES:
            break
        step = _gauss_newton_step(best, pairs, allowance)
        if not np.abs(step).max() < LONGEST:
            break
        moved = normalized(best + step)
        reached = max_cosine(moved)
        if reached >= value:
            break
        best = moved
        value = reached
    return best, value


def polish_code(
    points: Points, allowance: Allowance | None = None
) -> tuple[Points, float]:
    """`points` moved to where the active cosines are equal to the last digits, and their largest cosine.

    Never worse than what came in, by the true largest cosine of all pairs. Once the allowance is spent it ends.
    """
    allowance = allowance or Allowance()
    best = points
    value = max_cosine(points)
    attempt, scales = (
        (_interior_point, STARTS) if points.size <= DENSE else (_gauss_newton, WIDTHS)
    )
    if QUICK < points.size <= DENSE:
        scales = scales[1:2]
    for scale in scales:
        with suppress(np.linalg.LinAlgError):
            best, value = attempt(best, scale, allowance)
    return best, value
