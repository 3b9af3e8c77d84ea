"""Inversive planes over finite fields: points and circles, with one circle through every three points.

The points are the elements z of GF(q^2), and infinity. The circles are the solutions of a z z' + b z + b' z' + d = 0,
where z' = z^q, a and d are in GF(q), and b b' - a d is not 0. See Dembowski, Finite Geometries, chapter 6.
"""

import numpy as np
from numpy.typing import NDArray

from protosphere.coding.fields import field
from protosphere.types import Indices


def inversive_plane(q: int) -> NDArray[np.uint8]:
    """Return the circles of the Miquelian inversive plane of order q: a Steiner system S(3, q + 1, q^2 + 1).

    Every three points are on exactly one circle. The points are the elements z of GF(q^2), and infinity, so there are
    q^2 + 1 points. The circles are the solutions of a z z' + b z + b' z' + d = 0, where z' = z^q, a and d are in GF(q),
    and b b' - a d is not 0. The circles with a = 1 come first, then those with a = 0, which are lines and contain
    infinity.

    Args:
        q: Prime power with q^2 <= 256.

    Returns:
        A 0/1 matrix with a row for each of the q (q^2 + 1) circles and a column for each point, infinity last.

    >>> inversive_plane(2).shape, inversive_plane(2).sum(axis=1).tolist()
    ((10, 5), [3, 3, 3, 3, 3, 3, 3, 3, 3, 3])
    """
    F = field(q * q)
    elements = np.arange(F.q)
    conjugates = _powers(q, q)
    norms = F.multiply[elements, conjugates]
    subfield = np.flatnonzero(conjugates == elements)
    products = F.multiply[elements[:, None], elements]
    traces = F.add[products, conjugates[products]]  # of b z: a row for each b
    circles = _proper_circles(norms, traces, norms, subfield, q)
    lines = _circles_through_infinity(traces, subfield, q)
    return np.concatenate([circles, lines])


def _powers(q: int, exponent: int) -> Indices:
    F = field(q * q)
    elements = np.arange(F.q)
    powers = elements  # powers[z] becomes z^exponent
    for _ in range(exponent - 1):
        powers = F.multiply[powers, elements].astype(np.int64)
    return powers


def _proper_circles(
    norms: NDArray[np.uint8],
    traces: NDArray[np.uint8],
    norms_of_b: NDArray[np.uint8],
    subfield: Indices,
    q: int,
) -> NDArray[np.uint8]:
    # these circles have a = 1
    F = field(q * q)
    # norms[z] is z z', traces[b, z] is b z + b' z', norms_of_b[b] is b b', and `subfield` lists the elements of GF(q)
    values = F.add[norms, traces]  # z z' + Tr(b z), a row for each b
    minus = np.argmin(F.add, axis=1)  # the element that gives 0
    rows: list[NDArray[np.uint8]] = []
    for b in range(F.q):
        for d in subfield:
            if d != norms_of_b[b]:
                on_circle = values[b] == minus[d]
                rows.append(np.append(on_circle, False).astype(np.uint8))
    return np.array(rows)


def _circles_through_infinity(
    traces: NDArray[np.uint8], subfield: Indices, q: int
) -> NDArray[np.uint8]:
    # these circles have a = 0
    F = field(q * q)
    seen = np.zeros(F.q, dtype=np.bool_)
    rows: list[NDArray[np.uint8]] = []
    for b in range(1, F.q):
        if seen[
            b
        ]:  # b gives the same circles as an earlier b, because their quotient is in GF(q)
            continue
        seen[F.multiply[b, subfield]] = True
        for d in subfield:
            on_line = traces[b] == d
            rows.append(np.append(on_line, True).astype(np.uint8))
    return np.array(rows)
