"""Codes from the generalized quadrangles GQ(q, q^2), whose points are the points of an elliptic quadric.

A generalized quadrangle consists of points and lines. If a point x is not on a line L, exactly one point of L is
collinear with x. Two points are collinear if a line contains both. The lines of GQ(q, q^2) are the lines of the
quadric.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import product
from math import gcd, lcm

import numpy as np
from numpy.typing import NDArray

from protosphere.coding.fields import FiniteField, field
from protosphere.coding.primes import prime_powers
from protosphere.constructions.families import Member, dense_member, family
from protosphere.constructions.frames.tight_frames import frame
from protosphere.geometry.sphere import normalized
from protosphere.types import Indices, Points

LARGEST_Q = 9
"""Largest q, for which GQ(q, q^2) has 7,300 points in R^657.

For the next q, there are 15,984 points in R^1221, and their Gram matrix takes two gigabytes.
"""


@family(
    summary="points of the generalized quadrangle GQ(q, q^2), q <= 9, n = q(q^2-q+1); optimal max cosine 1/q^2",
    reference="Cameron, Goethals & Seidel (1978); Levenshtein (1992)",
)
def generalized_quadrangle() -> Iterator[Member]:
    """Yield codes whose points are the points of a generalized quadrangle GQ(q, q^2).

    The collinearity graph has an edge between any two collinear points. The vector of a point in the standard basis is
    projected to the eigenspace of the smallest eigenvalue of this graph, and normalized. Collinear points then have
    cosine -1/q, and other points have cosine 1/q^2. A code of all (q+1)(q^3+1) points meets Levenshtein's bound. These
    codes have (n, K) = (6,27), (21,112), (52,325), (105,756), (301,2752), (456,4617) and (657,7300). Their points are
    sorted by their coordinates over GF(q).

    Further codes are made by fixing j <= 3 points, no two of which are collinear. Such a code has the points that are
    collinear with none of the fixed points. They are projected to the orthogonal complement of the fixed points, which
    has n - j dimensions, and normalized. Their cosines are at most 1/(q^2+j). For q = 4 these codes have (n, K) =
    (51,256), (50,204) and (49,164). Any three points of which no two are collinear have q + 1 common neighbors, so K
    does not depend on the choice of the fixed points.
    """
    for q in prime_powers(LARGEST_Q):
        id = f"quadric-{q}"
        description = f"points of the elliptic quadric over GF({q})"
        yield dense_member(
            dim=_dim(q),
            size=_size(q),
            max_cosine=Fraction(1, q * q),
            id=id,
            description=description,
            points=partial(_points, q),
            step=Fraction(q + 1, q * q),
        )
        for along, size in enumerate(_section_sizes(q), start=1):
            dim = _dim(q) - along
            if size <= dim:
                continue
            cosine, step = _section_cosines(q, along)
            yield dense_member(
                dim=dim,
                size=size,
                max_cosine=cosine,
                id=f"{id}-along-{along}",
                description=f"{description}, seen along {along} of them",
                points=partial(_section, q, along),
                step=step,
            )


def _section_sizes(q: int) -> tuple[int, int, int]:
    # numbers of points that are collinear with none of one, two or three points, no two of which are collinear
    one = q**4
    two = q * (q - 1) * (q * q + 1)
    three = q * (q**3 - 2 * q * q + 3 * q - 3)
    return one, two, three


def quadric(q: int) -> tuple[Indices, Indices]:
    """Return the points of the elliptic quadric x0 x1 + x2 x3 + x4^2 + b x4 x5 + c x5^2 = 0 in projective 5-space.

    The coordinates are elements of the field GF(q). The pair (b, c) is the first one in lexicographic order for which
    x4^2 + b x4 x5 + c x5^2 is zero only at x4 = x5 = 0.

    Args:
        q: Order of the field, a prime power.

    Returns:
        Two matrices. The rows of the first matrix are the points. Row i of the second matrix is the product of point i
        and the matrix of the bilinear form of the quadric. Two different points i and j are collinear if row i of the
        second matrix and row j of the first have the inner product 0.
    """
    F = field(q)
    b, c = _elliptic_coefficients(F)
    x = _projective_points(q)
    first = F.multiply[x[0], x[1]]
    second = F.multiply[x[2], x[3]]
    hyperbolic = F.add[first, second]
    elliptic = _binary_form(F, b, c, x[4], x[5])
    points = x[:, F.add[hyperbolic, elliptic] == 0]
    y = points[4]
    z = points[5]
    by = F.multiply[b, y]
    bz = F.multiply[b, z]
    two_y = F.add[y, y]
    two_z = F.add[z, z]
    images = [
        points[1],
        points[0],
        points[3],
        points[2],
        F.add[two_y, bz],
        F.add[by, F.multiply[c, two_z]],
    ]
    return points.T, np.array(images, dtype=np.int64).T


def _elliptic_coefficients(F: FiniteField) -> tuple[int, int]:
    # the form is zero only at y = z = 0 if it is not zero at any (y, 1)
    one = np.ones(1, dtype=np.int64)
    for b, c in product(range(F.q), repeat=2):
        if _binary_form(F, b, c, np.arange(F.q), one).all():
            return b, c
    raise AssertionError("every finite field has an elliptic form")


def _projective_points(q: int) -> Indices:
    points: list[tuple[int, ...]] = []
    # the first nonzero coordinate of each point is 1
    for lead in range(6):
        zeros = (0,) * lead
        for rest in product(range(q), repeat=5 - lead):
            points.append((*zeros, 1, *rest))
    return np.array(points).T


def orthogonal(q: int, points: Indices, images: Indices) -> NDArray[np.bool_]:
    """Return which inner products of two lists of vectors over the field GF(q) are 0.

    Args:
        q: Order of the field, a prime power.
        points: Vectors over the field, as rows. Field elements are integers from 0 to q - 1.
        images: Vectors over the field, as rows.

    Returns:
        A Boolean matrix. Entry (i, j) is True if row i of `images` and row j of `points` have the inner product 0.
    """
    F = field(q)
    weights = F.p ** np.arange(F.e)
    digits = points[:, :, None] // weights % F.p
    digits = digits.reshape(len(points), -1).astype(np.float32)
    shifted = F.multiply[images[:, :, None], weights].astype(np.int64)
    zero = np.ones((len(images), len(points)), dtype=np.bool_)
    # base-p digits of a product are linear in the digits of each factor: one matrix product for each digit
    for weight in weights:
        functionals = shifted // weight % F.p
        functionals = functionals.reshape(len(images), -1).astype(np.float32)
        zero &= functionals @ digits.T % F.p == 0
    return zero


def _points(q: int, count: int) -> Points:
    gram = np.where(orthogonal(q, *quadric(q)), -1 / q, 1 / q**2)
    return frame(gram, _dim(q))[:count]


def _section_cosines(q: int, num_fixed: int) -> tuple[Fraction, Fraction]:
    # the maximum cosine, and the greatest common divisor of all 1 - cosine
    b = Fraction(1, q * q)
    left = (1 - b) * (1 + num_fixed * b) / (1 + (num_fixed - 1) * b)
    apart = (1 - b) / left
    collinear = (1 + Fraction(1, q)) / left
    over = gcd(apart.numerator, collinear.numerator)
    under = lcm(apart.denominator, collinear.denominator)
    return 1 - apart, Fraction(over, under)


def _section(q: int, num_fixed: int, count: int) -> Points:
    # the points that are collinear with none of `num_fixed` fixed points
    points = _points(q, _size(q))
    left = np.arange(len(points))
    fixed = np.zeros(num_fixed, dtype=np.int64)
    # each fixed point is the first that is collinear with none of the earlier ones
    for i in range(num_fixed):
        first = left[0]
        fixed[i] = first
        not_collinear = points[left] @ points[first] > 0
        left = left[not_collinear & (left != first)]
    basis: Points = np.linalg.qr(points[fixed].T, mode="complete")[0]
    # basis of the orthogonal complement of the fixed points
    across = basis[:, num_fixed:]
    return normalized(points[left[:count]] @ across)


def _binary_form(
    F: FiniteField, b: int, c: int, y: Indices, z: Indices
) -> NDArray[np.uint8]:
    squares = F.multiply[y, y]
    products = F.multiply[F.multiply[b, y], z]
    last = F.multiply[c, F.multiply[z, z]]
    return F.add[F.add[squares, products], last]


def _size(q: int) -> int:
    return (q + 1) * (q**3 + 1)


def _dim(q: int) -> int:
    return q * (q * q - q + 1)
