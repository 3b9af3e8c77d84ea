"""Codes of the generalised quadrangles GQ(q, q^2): points of the elliptic quadric in five projective dimensions."""

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
"""7,300 points of R^657; the next, 15,984 of R^1221, need a Gram matrix of two gigabytes."""


@family(
    summary="points of GQ(q, q^2), q <= 9 a prime power: n = q(q^2-q+1), K <= (q+1)(q^3+1), max cosine 1/q^2, optimal",
    reference="Cameron, Goethals & Seidel (1978); Levenshtein (1992)",
)
def generalized_quadrangle() -> Iterator[Member]:
    """The graph of GQ(q, q^2) in its smallest eigenspace: cosines -1/q of collinear points and 1/q^2 of others.

    All (q+1)(q^3+1) points meet Levenshtein's bound: (6,27), (21,112), (52,325), (105,756), (301,2752), (456,4617),
    (657,7300). They come in the order of their coordinates.

    Seen along j <= 3 points, no two of them collinear, the points that are collinear with none of these have cosines of
    at most 1/(q^2+j) in j dimensions less: (51,256), (50,204) and (49,164) for q = 4. Every three such points have
    q + 1 common neighbours, so that their number does not depend on the choice.
    """
    for q in prime_powers(LARGEST_Q):
        recipe = f"points of the elliptic quadric over GF({q})"
        step = Fraction(q + 1, q * q)
        yield dense_member(
            _dim(q),
            (q + 1) * (q**3 + 1),
            Fraction(1, q * q),
            recipe,
            partial(_points, q),
            step,
        )
        for along, size in enumerate(
            (q**4, q * (q - 1) * (q * q + 1), q * (q**3 - 2 * q * q + 3 * q - 3)),
            start=1,
        ):
            if size > _dim(q) - along:
                seen = f"{recipe}, seen along {along} of them"
                points = partial(_section, q, along)
                cosine, step = _section_cosines(q, along)
                yield dense_member(_dim(q) - along, size, cosine, seen, points, step)


def quadric(q: int) -> tuple[Indices, Indices]:
    """The points of x0 x1 + x2 x3 + x4^2 + b x4 x5 + c x5^2 = 0, a vector each, and the form's Gram matrix times them.

    b and c are the first for which the last three terms vanish at 0 only.
    """
    F = field(q)
    one = np.ones(1, dtype=np.int64)
    pairs = product(range(q), repeat=2)
    b, c = next(
        (b, c) for b, c in pairs if _binary_form(F, b, c, np.arange(q), one).all()
    )
    x = np.array(
        [
            (*(0,) * lead, 1, *rest)
            for lead in range(6)
            for rest in product(range(q), repeat=5 - lead)
        ]
    ).T
    cross = F.add[F.multiply[x[0], x[1]], F.multiply[x[2], x[3]]]
    points = x[:, F.add[cross, _binary_form(F, b, c, x[4], x[5])] == 0]
    y = points[4]
    z = points[5]
    by = F.multiply[b, y]
    bz = F.multiply[b, z]
    last = F.add[F.add[y, y], bz], F.add[by, F.multiply[c, F.add[z, z]]]
    return points.T, np.array(
        [points[1], points[0], points[3], points[2], *last], dtype=np.int64
    ).T


def orthogonal(q: int, points: Indices, images: Indices) -> NDArray[np.bool_]:
    """Which points and images have inner product 0, by matrix products over the prime field.

    The digits of a product are linear in those of either factor: one product of matrices for each digit.
    """
    F = field(q)
    weights = F.p ** np.arange(F.e)
    digits = (
        (points[:, :, None] // weights % F.p)
        .reshape(len(points), -1)
        .astype(np.float32)
    )
    shifted = F.multiply[images[:, :, None], weights].astype(np.int64)
    zero = np.ones((len(images), len(points)), dtype=np.bool_)
    for weight in weights:
        functionals = (
            (shifted // weight % F.p).reshape(len(images), -1).astype(np.float32)
        )
        zero &= functionals @ digits.T % F.p == 0
    return zero


def _points(q: int, count: int) -> Points:
    gram = np.where(orthogonal(q, *quadric(q)), -1 / q, 1 / q**2)
    return frame(gram, _dim(q))[:count]


def _section_cosines(q: int, along: int) -> tuple[Fraction, Fraction]:
    """The cosine of points that are not collinear, and the step that it and that of collinear ones are multiples of."""
    b = Fraction(1, q * q)
    left = (1 - b) * (1 + along * b) / (1 + (along - 1) * b)
    apart = (1 - b) / left
    collinear = (1 + Fraction(1, q)) / left
    over, under = zip(
        apart.as_integer_ratio(), collinear.as_integer_ratio(), strict=True
    )
    return 1 - apart, Fraction(gcd(*over), lcm(*under))


def _section(q: int, along: int, count: int) -> Points:
    """The points at cosine 1/q^2 from each of the first `along` that are so from each other, orthogonally to these."""
    points = _points(q, (q + 1) * (q**3 + 1))
    left = np.arange(len(points))
    fixed = np.zeros(along, dtype=np.int64)
    for i in range(along):
        fixed[i] = left[0]
        left = left[(points[left] @ points[left[0]] > 0) & (left != left[0])]
    across: Points = np.linalg.qr(points[fixed].T, mode="complete")[0][:, along:]
    return normalized(points[left[:count]] @ across)


def _binary_form(
    F: FiniteField, b: int, c: int, y: Indices, z: Indices
) -> NDArray[np.uint8]:
    return F.add[
        F.add[F.multiply[y, y], F.multiply[F.multiply[b, y], z]],
        F.multiply[c, F.multiply[z, z]],
    ]


def _dim(q: int) -> int:
    return q * (q * q - q + 1)
