"""Refinement of an almost optimal code to machine precision by Newton's method.

At a local optimum, some pairs of points have the maximum cosine mu. These pairs are called active. There are
multipliers l_ij >= 0 of the pairs, with sum 1, such that the sum of the gradients of the cosines, weighted by the
multipliers, is zero. These conditions are equations for the points, mu and the multipliers.

For small codes, a primal-dual interior-point method solves the equations (Nocedal and Wright 2006, chapter 19). The
slack of a pair is mu minus its cosine. The product of multiplier and slack of each pair decreases to zero, so the
active pairs need not be known in advance. Each step solves one linear system.

For large codes, Gauss-Newton steps make the cosines of the active pairs equal. Each step solves a least-squares problem
by LSMR (Fong and Saunders 2011).
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

MAX_DENSE_UNKNOWNS = 1300
"""Number K n of unknowns up to which the interior-point method is used; larger codes use Gauss-Newton steps."""

MAX_QUICK_UNKNOWNS = 500
"""Number K n of unknowns up to which all `LEVEL_OFFSETS` are tried. For larger codes, only the second is tried."""

ACTIVE_WIDTHS = (1e-4, 1e-5, 1e-6, 1e-7, 1e-9)
"""Largest differences from the maximum cosine at which pairs count as active, one for each Gauss-Newton attempt."""

LEVEL_OFFSETS = (1e-4, 1e-5, 1e-5, 1e-6)
"""Differences between the initial value of mu and the maximum cosine, one for each interior-point attempt."""

MAX_JACOBIAN_ENTRIES = 1 << 20
"""Number of active pairs times n above which Gauss-Newton steps would be too slow and are not made."""

MAX_LSMR_PRODUCTS = 1.5e8
"""Largest number of matrix entries times LSMR steps in one Gauss-Newton step, which takes less than a second."""

MAX_LSMR_STEPS = 300

FACTORING_PRODUCTS = 0.25
"""Cost of a Newton step, relative to the cube of the number of unknowns, in multiplications of a descent."""

LSMR_PRODUCTS = 12.0
"""Cost of a step of LSMR, relative to the number of matrix entries, in multiplications of a descent."""

MAX_ROUNDS = 30

NEAR_WIDTH = 1e-2
"""Pairs whose cosine is further below the maximum cosine than this are ignored by the interior-point method."""

SHRINK = 0.1
"""Factor of the product of multiplier and slack from one Newton step to the next."""

OPTIMAL_GAP = 3e-15
"""Sum of the products of multiplier and slack at which mu is optimal to the last digit."""

DAMPING = 1e-10
"""Smallest damping. Without damping, the linear system is singular, because rotations change no cosine."""

MAX_STEP = 0.05
"""A step with a larger entry is rejected."""


@dataclass
class Allowance:
    """The work that may still be done to refine a code: a number of multiplications, and a time limit.

    Attributes:
        products: Number of multiplications that may still be done. By default, there is no limit.
        expired: Function that returns True if the time is up, and False otherwise. By default, it always returns False.
    """

    products: float = float("inf")
    expired: Callable[[], bool] = lambda: False

    def spend(self, products: float) -> bool:
        """Count multiplications as done, if they are allowed.

        Args:
            products: Number of multiplications.

        Returns:
            True if enough multiplications were left and the time is not up. Otherwise False, and nothing is counted.
        """
        if products > self.products or self.expired():
            return False
        self.products -= products
        return True


@dataclass(frozen=True, eq=False)
class Contacts:
    """P pairs of points of a code, such as the pairs with nearly the maximum cosine.

    Attributes:
        first: (P,) indices of the first point of each pair.
        second: (P,) indices of the second point of each pair.
        cosines: (P,) cosines of the pairs.
    """

    first: Indices
    second: Indices
    cosines: Points


def contacts(points: Points, above: float) -> Contacts:
    """Return the pairs of points whose cosine is larger than a threshold, each pair once.

    Args:
        points: (K, n) array of unit vectors.
        above: The threshold.
    """
    first: list[Indices] = []
    second: list[Indices] = []
    cosines: list[Points] = []
    for i, j, gram in gram_blocks(point_rows(points)):
        is_contact = gram > above
        if i >= j:
            is_contact = np.triu(is_contact, k=1)
        rows, columns = np.nonzero(is_contact)
        first.append(rows + i)
        second.append(columns + j)
        cosines.append(gram[rows, columns].astype(np.float64))
    return Contacts(
        np.concatenate(first), np.concatenate(second), np.concatenate(cosines)
    )


def jacobian(points: Points, pairs: Contacts) -> csr_array:
    """Return the derivatives of the cosines of pairs with respect to all coordinates of the points.

    The derivatives are tangent to the sphere: with respect to x_i, the derivative of the cosine c = <x_i, x_j> is
    x_j - c x_i.

    Args:
        points: (K, n) array of unit vectors.
        pairs: P pairs of the points, with their cosines.

    Returns:
        A sparse (P, K n) matrix. Row p is the derivative of the cosine of pair p.
    """
    from scipy.sparse import csr_array

    first = points[pairs.first]
    second = points[pairs.second]
    cosine = pairs.cosines[:, None]
    by_first = second - cosine * first
    by_second = first - cosine * second
    values = np.concatenate([by_first, by_second], axis=1)
    unknowns: Indices = np.arange(points.size, dtype=np.int64).reshape(points.shape)
    columns: Indices = np.concatenate(
        [unknowns[pairs.first], unknowns[pairs.second]], axis=1
    )
    row_length = columns.shape[1]
    row_starts: Indices = np.arange(0, columns.size + 1, row_length, dtype=np.int64)
    shape = (len(columns), points.size)
    return csr_array((values.ravel(), columns.ravel(), row_starts), shape=shape)


def _weighted_hessian(points: Points, pairs: Contacts, multipliers: Points) -> Points:
    count, dim = points.shape
    weights = np.zeros((count, count))
    weights[pairs.first, pairs.second] = multipliers
    weights += weights.T
    ends = np.concatenate([pairs.first, pairs.second])
    radial = np.tile(multipliers * pairs.cosines, 2)
    pull = np.bincount(ends, radial, count)
    tangent = np.eye(dim) - points[:, :, None] * points[:, None, :]
    blocks = np.einsum("ij,iab,jbc->iajc", weights, tangent, tangent, optimize=True)
    diagonal: Indices = np.arange(count, dtype=np.int64)
    blocks[diagonal, :, diagonal, :] -= pull[:, None, None] * tangent
    return blocks.reshape(points.size, points.size)


def _newton_step(
    points: Points,
    pairs: Contacts,
    multipliers: Points,
    slack: Points,
    target: float,
    damping: float,
) -> Points:
    # The result has K n entries for the points, and a last entry for mu. The step aims at the product `target` of
    # multiplier and slack for every pair. `damping` is added to the diagonal.
    slopes = jacobian(points, pairs)
    ratio = multipliers / slack
    size = points.size
    diagonal = np.arange(size)
    system = np.empty((size + 1, size + 1))
    system[:size, :size] = (slopes.T @ (slopes * ratio[:, None])).toarray()
    system[:size, :size] += _weighted_hessian(points, pairs, multipliers)
    largest = system.diagonal()[:size].max()
    system[diagonal, diagonal] += damping + 1e-14 * largest
    coupling = -(slopes.T @ ratio)
    system[:size, -1] = coupling
    system[-1, :size] = coupling
    system[-1, -1] = ratio.sum()
    barrier = target / slack
    right = np.append(-(slopes.T @ barrier), barrier.sum() - 1)
    return np.linalg.solve(system, right).astype(np.float64)


def _gauss_newton_step(points: Points, pairs: Contacts, allowance: Allowance) -> Points:
    from scipy.sparse import csr_array, hstack
    from scipy.sparse.linalg import lsmr

    # after the step, the cosines of the pairs are equal, to first order
    level_column = csr_array(-np.ones((len(pairs.first), 1)))
    slopes = hstack([jacobian(points, pairs), level_column]).tocsr()
    max_steps = min(MAX_LSMR_STEPS, int(MAX_LSMR_PRODUCTS / slopes.nnz))
    differences = pairs.cosines.max() - pairs.cosines
    step, _, num_steps, *_ = lsmr(
        slopes, differences, atol=1e-13, btol=1e-13, maxiter=max_steps
    )
    allowance.products -= LSMR_PRODUCTS * num_steps * slopes.nnz
    return step[:-1].reshape(points.shape)


def _fraction_to_boundary(value: Points, step: Points) -> float:
    # no entry of `value` may decrease by more than 99%
    falling = step < 0
    fractions = -0.99 * value[falling] / step[falling]
    return min(1.0, float(np.min(fractions, initial=1.0)))


def _interior_point(
    points: Points, offset: float, allowance: Allowance
) -> tuple[Points, float]:
    # mu begins at the maximum cosine of `points` plus `offset`
    best = points
    current = points
    value = max_cosine(points)
    pairs = contacts(points, value - NEAR_WIDTH)
    level = value + offset
    damping = DAMPING
    multipliers = 1 / (level - pairs.cosines)
    multipliers /= multipliers.sum()
    for _ in range(MAX_ROUNDS):
        if not allowance.spend(FACTORING_PRODUCTS * points.size**3):
            break
        slack = np.maximum(level - pairs.cosines, 1e-16)
        target = SHRINK * float(multipliers @ slack) / len(slack)
        found = _newton_step(current, pairs, multipliers, slack, target, damping)
        point_step = found[:-1]
        level_step = found[-1]
        if not np.abs(point_step).max() < MAX_STEP:
            damping = max(100 * damping, 1e-6)
            continue
        damping = max(damping / 10, DAMPING)
        slack_step = level_step - jacobian(current, pairs) @ point_step
        fraction = _fraction_to_boundary(slack, slack_step)
        multiplier_step = (target - multipliers * slack_step) / slack - multipliers
        multiplier_fraction = _fraction_to_boundary(multipliers, multiplier_step)
        multipliers = multipliers + multiplier_fraction * multiplier_step
        current = normalized(current + fraction * point_step.reshape(points.shape))
        pairs = _with_cosines_of(pairs, current)
        level = max(level + fraction * level_step, float(pairs.cosines.max()))
        reached = max_cosine(current)
        if reached < value:
            best = current
            value = reached
        if target * len(slack) < OPTIMAL_GAP:
            break
    return best, value


def _with_cosines_of(pairs: Contacts, points: Points) -> Contacts:
    cosines = np.einsum("ij,ij->i", points[pairs.first], points[pairs.second])
    return replace(pairs, cosines=cosines)


def _gauss_newton(
    points: Points, width: float, allowance: Allowance
) -> tuple[Points, float]:
    # pairs whose cosine is within `width` of the maximum cosine count as active
    best = points
    value = max_cosine(points)
    for _ in range(MAX_ROUNDS):
        if not allowance.spend(float(len(points) * points.size)):
            break
        pairs = contacts(best, value - width)
        if len(pairs.first) * points.shape[1] > MAX_JACOBIAN_ENTRIES:
            break
        step = _gauss_newton_step(best, pairs, allowance)
        if not np.abs(step).max() < MAX_STEP:
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
    """Move an almost optimal code to the nearby local optimum of the maximum cosine, up to rounding errors.

    The maximum cosine of the result is never larger than the maximum cosine of `points`. If the allowed work does not
    suffice, the result may be short of the local optimum.

    Args:
        points: (K, n) array of unit vectors, near a local optimum.
        allowance: The multiplications and the time that may be used. The multiplications that are made are subtracted
            from it. None means no limit.

    Returns:
        The (K, n) moved points, and their maximum cosine.
    """
    if allowance is None:
        allowance = Allowance()
    best = points
    value = max_cosine(points)
    if points.size > MAX_DENSE_UNKNOWNS:
        attempt = _gauss_newton
        scales = ACTIVE_WIDTHS
    elif points.size > MAX_QUICK_UNKNOWNS:
        attempt = _interior_point
        scales = LEVEL_OFFSETS[1:2]
    else:
        attempt = _interior_point
        scales = LEVEL_OFFSETS
    for scale in scales:
        with suppress(np.linalg.LinAlgError):
            best, value = attempt(best, scale, allowance)
    return best, value
