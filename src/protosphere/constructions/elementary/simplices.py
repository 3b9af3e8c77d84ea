"""Rankin's optimal arrangements of up to 2n points: the simplex, and simplices in orthogonal subspaces."""

from fractions import Fraction

import numpy as np

from protosphere.code.placement import Placement
from protosphere.code.structures import OrthogonalSimplices, Plain
from protosphere.constructions.registry import construction
from protosphere.errors import brief
from protosphere.geometry.simplex import simplex_points
from protosphere.geometry.sphere import padded
from protosphere.types import Indices


def least_dim_obstacle(scheme: str, rule: str, least: int, num_classes: int, dim: int) -> str | None:
    """None from dimension `least` on, which is the `rule`; one sentence below it."""
    got = f"got dim {brief(dim)} for {brief(num_classes)} classes"
    return None if dim >= least else f"'{scheme}' needs dim >= {rule}, {got}; nearest: {brief(least)}"


def _simplex_obstacle(num_classes: int, dim: int) -> str | None:
    return least_dim_obstacle("simplex", "num_classes - 1", num_classes - 1, num_classes, dim)


def _simplex_cosine(num_classes: int, dim: int) -> Fraction:
    del dim
    return Fraction(-1, num_classes - 1)


@construction(
    obstacle=_simplex_obstacle,
    guarantee=_simplex_cosine,
    summary="regular simplex: every cosine -1/(K-1), the optimum for n >= K-1",
    reference="Rankin (1955); as prototypes Kasarla et al. (2022)",
    closed_form=True,
)
def simplex(num_classes: int, dim: int) -> Placement:
    """The regular simplex on K points, padded with zeros to R^n."""
    points = padded(simplex_points(num_classes), dim)
    return Placement("regular simplex", Plain(points, Fraction(num_classes, num_classes - 1)))


def _cross_polytope_obstacle(num_classes: int, dim: int) -> str | None:
    return least_dim_obstacle("cross_polytope", "num_classes / 2", -(-num_classes // 2), num_classes, dim)


def _right_angle(num_classes: int, dim: int) -> Fraction:
    del dim
    return Fraction(0 if num_classes > 2 else -1)


@construction(
    obstacle=_cross_polytope_obstacle,
    guarantee=_right_angle,
    summary="+e_i and -e_i: max cosine 0 for any n >= K/2, the optimum for n+2 <= K <= 2n",
    reference="Rankin (1955), The closest packing of spherical caps in n dimensions",
    closed_form=True,
)
def cross_polytope(num_classes: int, dim: int) -> Placement:
    """e_1, -e_1, e_2, -e_2, ...: classes 2i and 2i+1 are opposed, all others orthogonal."""
    classes = np.arange(num_classes)
    points = np.zeros((num_classes, dim))
    points[classes, classes // 2] = 1 - 2 * (classes % 2)
    return Placement("cross-polytope", Plain(points, Fraction(1)))


def block_sizes(num_classes: int, dim: int) -> Indices:
    """The sizes of the K - n simplices, which span n dimensions together: as equal as can be, larger ones first.

    >>> block_sizes(10, 7)
    array([4, 3, 3])
    """
    blocks = num_classes - dim
    return num_classes // blocks + (np.arange(blocks) < num_classes % blocks)


def _blocks_obstacle(num_classes: int, dim: int) -> str | None:
    got = f"got dim {brief(dim)} for {brief(num_classes)} classes"
    if num_classes < 4:
        return f"'orthogonal_simplices' needs num_classes >= 4, {got}; 'simplex' holds them"
    least, most = -(-num_classes // 2), num_classes - 2
    if least <= dim <= most:
        return None
    nearest = brief(least) if dim < least else f"{brief(most)}; 'simplex' holds them"
    return f"'orthogonal_simplices' needs num_classes / 2 <= dim <= num_classes - 2, {got}; nearest: {nearest}"


@construction(
    obstacle=_blocks_obstacle,
    guarantee=_right_angle,
    summary="K - n regular simplices of equal size in orthogonal subspaces: max cosine 0, optimal and even",
    reference="Rankin (1955); Kuperberg (2007), on congruent balls in a spherical container, for all optimal codes",
    closed_form=True,
    numbered=True,
)
def orthogonal_simplices(num_classes: int, dim: int) -> Placement:
    """One simplex after the other; sizes differ by at most one. At K = 2n it is the cross-polytope.

    Every optimal code of n + 2 to 2n points splits into K - n simplices in orthogonal subspaces. Regular ones of equal
    size have the fewest opposed pairs and waste no dimension: K = 100 in R^64 are 28 triangles and 8 pairs, where a
    cross-polytope has 50 pairs on 50 axes.
    """
    sizes = block_sizes(num_classes, dim)
    span = str(sizes[0]) if sizes[0] == sizes[-1] else f"{sizes[-1]} or {sizes[0]}"
    recipe = f"{len(sizes)} orthogonal simplices of {span} points"
    return Placement(recipe, OrthogonalSimplices(sizes, np.arange(num_classes), dim))
