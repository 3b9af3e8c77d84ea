"""Classical strongly regular graphs: their parameters, and functions that build their adjacency matrices.

In a strongly regular graph, all vertices have the same number of neighbors, any two adjacent vertices have the same
number of common neighbors, and any two non-adjacent vertices have the same number of common neighbors. An adjacency
matrix is a symmetric Boolean matrix that says which vertices are adjacent. A sporadic graph is a graph that belongs to
no infinite family.

A design S(t, k, v) has v points and a list of blocks, which are sets of k of these points. Any t points are together in
exactly one block.

Brouwer & Van Maldeghem, Strongly Regular Graphs (2022), chapters 2, 3 and 8 to 10.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from protosphere.coding.fields import field
from protosphere.coding.golay import extended_golay
from protosphere.coding.linear import codewords, unpack
from protosphere.coding.primes import prime_factors, prime_power, prime_powers
from protosphere.constructions.frames.generalized_quadrangle import orthogonal
from protosphere.types import Indices

Adjacency = NDArray[np.bool_]
"""A symmetric Boolean matrix that says which vertices are adjacent."""

MOST_VERTICES = 1_400
"""Largest number of vertices of triangular graphs and Latin square graphs."""


@dataclass(frozen=True)
class Graph:
    """A strongly regular graph.

    Attributes:
        name: Name of the graph. Different graphs have different names.
        vertices: Number v of vertices.
        degree: Number k of neighbors of a vertex.
        common: Number of common neighbors of two adjacent vertices.
        common_apart: Number of common neighbors of two non-adjacent vertices.
        adjacency: Function that builds the adjacency matrix.
        viewed: If True, codes are also made from some of the vertices, which are chosen by their adjacency to one or
            two fixed vertices. If False, a code always has all vertices.
    """

    name: str
    vertices: int
    degree: int
    common: int
    common_apart: int
    adjacency: Callable[[], Adjacency]
    viewed: bool = True

    @property
    def complement(self) -> "Graph":
        """The complement of this graph, which is a graph with the same vertices.

        Two different vertices of the complement are adjacent if they are not adjacent in this graph.
        """
        v = self.vertices
        k = self.degree

        def adjacency() -> Adjacency:
            return ~self.adjacency() & ~np.eye(v, dtype=np.bool_)

        return Graph(
            f"complement of the {self.name}",
            v,
            v - k - 1,
            v - 2 - 2 * k + self.common_apart,
            v - 2 * k + self.common,
            adjacency,
            self.viewed,
        )


def graphs() -> Iterator[Graph]:
    """Yield all graphs of this module: first the sporadic graphs, then the infinite families."""
    yield from _sporadic_graphs()
    yield from _triangular_graphs()
    yield from _paley_graphs()
    yield from _latin_square_graphs()
    yield from _polar_graphs()
    yield from _tangent_graphs()
    yield from _ahrens_szekeres_graphs()


def _sporadic_graphs() -> Iterator[Graph]:
    yield Graph("Clebsch graph", 16, 5, 0, 2, clebsch)
    yield Graph("Hoffman-Singleton graph", 50, 7, 0, 1, hoffman_singleton)
    yield Graph("Gewirtz graph", 56, 10, 0, 2, gewirtz)
    yield Graph("M22 graph", 77, 16, 0, 4, m22)
    yield Graph("Higman-Sims graph", 100, 22, 0, 6, higman_sims)
    yield Graph("McLaughlin graph", 275, 112, 30, 56, mclaughlin)
    yield Graph("Berlekamp-van Lint-Seidel graph", 243, 22, 1, 2, ternary_golay_cosets)
    yield Graph("hyperoval quadrangle over GF(8)", 512, 70, 6, 10, hyperoval_quadrangle)


def clebsch() -> Adjacency:
    """Return the adjacency matrix of the Clebsch graph.

    The vertices are the 16 vectors of GF(2)^4. Two vectors are adjacent if their difference is a unit vector or the
    all-ones vector.
    """
    numbers = np.arange(16)
    return np.isin(numbers[:, None] ^ numbers, (1, 2, 4, 8, 15))


def hoffman_singleton() -> Adjacency:
    """Return the adjacency matrix of the Hoffman-Singleton graph.

    The graph is made of five pentagons and five pentagrams (Robertson), each with the indices 0 to 4. The vertices of
    each pentagon and of each pentagram also have the indices 0 to 4, and sums of indices are taken modulo 5. Vertices i
    and i + 1 of a pentagon are adjacent, and so are vertices i and i + 2 of a pentagram. Vertex i of pentagon h is
    adjacent to vertex i + h j of pentagram j.
    """
    adjacency = np.zeros((50, 50), dtype=np.bool_)
    for h, i in product(range(5), repeat=2):
        pentagon = 5 * h + i
        adjacency[pentagon, 5 * h + (i + 1) % 5] = True
        adjacency[25 + pentagon, 25 + 5 * h + (i + 2) % 5] = True
        for j in range(5):
            adjacency[pentagon, 25 + 5 * j + (i + h * j) % 5] = True
    return adjacency | adjacency.T


@lru_cache(maxsize=1)
def _octads() -> NDArray[np.int64]:
    # the 759 blocks of the Witt design S(5,8,24), as 0/1 rows
    words = unpack(codewords(extended_golay(), 1 << 12), 24).astype(np.int64)
    return words[words.sum(axis=1) == 8]


def _hexads() -> NDArray[np.int64]:
    # the 77 blocks of the design S(3,6,22): the octads with the last two of the 24 points, without these two points
    octads = _octads()
    return octads[octads[:, 22:].all(axis=1)][:, :22]


def _disjoint(blocks: NDArray[np.int64]) -> Adjacency:
    return blocks @ blocks.T == 0


def gewirtz() -> Adjacency:
    """Return the adjacency matrix of the Gewirtz graph.

    The vertices are the 56 blocks of the design S(3,6,22) that do not contain the first point of the design. Two blocks
    are adjacent if they are disjoint.
    """
    hexads = _hexads()
    return _disjoint(hexads[hexads[:, 0] == 0])


def m22() -> Adjacency:
    """Return the adjacency matrix of the M22 graph, whose vertices are the 77 blocks of the design S(3,6,22).

    Two blocks are adjacent if they are disjoint.
    """
    return _disjoint(_hexads())


def higman_sims() -> Adjacency:
    """Return the adjacency matrix of the Higman-Sims graph.

    The vertices are one additional vertex, and the 22 points and the 77 blocks of the design S(3,6,22). The additional
    vertex is adjacent to all points. A block is adjacent to the points that it contains, and to the blocks that are
    disjoint from it.
    """
    hexads = _hexads()
    adjacency = np.zeros((100, 100), dtype=np.bool_)
    adjacency[0, 1:23] = True
    adjacency[1:23, 23:] = hexads.T == 1
    adjacency[:23] |= adjacency.T[:23]
    adjacency[23:, :23] = adjacency[:23, 23:].T
    adjacency[23:, 23:] = _disjoint(hexads)
    return adjacency


def mclaughlin() -> Adjacency:
    """Return the adjacency matrix of the McLaughlin graph.

    The vertices are 22 points and the 253 blocks of the design S(4,7,23). The 22 points are the 23 points of the design
    without its last point. A block is of the first kind if it contains the last point, and of the second kind
    otherwise. A point is adjacent to the blocks of the first kind that do not contain it, and to the blocks of the
    second kind that contain it. Two blocks of the same kind are adjacent if they share one point. Two blocks of
    different kinds are adjacent if they share three points.
    """
    octads = _octads()
    blocks = octads[octads[:, 23] == 1][:, :23]
    through = blocks[:, 22] == 1
    blocks = np.concatenate([blocks[through], blocks[~through]])
    first = np.arange(len(blocks)) < through.sum()
    same_kind = first[:, None] == first
    shared = blocks @ blocks.T
    adjacency = np.zeros((275, 275), dtype=np.bool_)
    adjacency[22:, 22:] = np.where(same_kind, shared == 1, shared == 3)
    inside: Adjacency = blocks[:, :22].T == 1
    meets: Adjacency = inside ^ first
    adjacency[:22, 22:] = meets
    adjacency[22:, :22] = meets.T
    return adjacency


def _difference_graph(q: int, dim: int, connection: set[tuple[int, ...]]) -> Adjacency:
    # Vectors over GF(q), where q is prime, are adjacent if their difference is in `connection`.
    vectors = np.array(list(product(range(q), repeat=dim)))
    places = q ** np.arange(dim)[::-1]
    chosen = np.zeros(q**dim, dtype=np.bool_)
    chosen[[int(np.dot(difference, places)) for difference in connection]] = True
    adjacency = np.zeros((len(vectors), len(vectors)), dtype=np.bool_)
    for number, vector in enumerate(vectors):
        adjacency[number] = chosen[(vectors - vector) % q @ places]
    return adjacency


def _multiples(q: int, points: Indices) -> set[tuple[int, ...]]:
    return {
        tuple((factor * point % q).tolist())
        for point in points
        for factor in range(1, q)
    }


def ternary_golay_cosets() -> Adjacency:
    """Return the adjacency matrix of the Berlekamp-van Lint-Seidel graph.

    The vertices are the 243 cosets of the perfect ternary Golay code. Two cosets are adjacent if some vector of one and
    some vector of the other differ in exactly one coordinate.
    """
    return _difference_graph(3, 5, _multiples(3, _ternary_golay_checks().T))


def _ternary_golay_checks() -> Indices:
    # the code is the [11, 6, 5] code; row i has the coefficients of x^i (x - 1)(x^5 + x^4 + 2x^3 + x^2 + 2) modulo 3
    check = np.array([2, 0, 1, 2, 1, 1])
    times = np.convolve(check, [2, 1]) % 3
    rows = [np.concatenate([np.zeros(i), times, np.zeros(4 - i)]) for i in range(5)]
    return np.array(rows, dtype=np.int64)


def hyperoval_quadrangle() -> Adjacency:
    """Return the adjacency matrix of a graph whose vertices are the 512 points of the affine space AG(3, 8).

    Two points are adjacent if the line through them meets the plane at infinity in one of ten points: a conic and its
    nucleus, which form a hyperoval.
    """
    F = field(8)
    elements = np.arange(8)
    squares = F.multiply[elements, elements]
    directions = [(1, int(t), int(squares[t])) for t in elements]
    directions += [(0, 1, 0), (0, 0, 1)]
    chosen = np.zeros((8, 8, 8), dtype=np.bool_)
    for direction in directions:
        for factor in range(1, 8):
            chosen[tuple(F.multiply[factor, list(direction)])] = True
    x, y, z = np.array(list(product(range(8), repeat=3))).T
    return chosen[x[:, None] ^ x, y[:, None] ^ y, z[:, None] ^ z]


def _triangular_graphs() -> Iterator[Graph]:
    m = 5
    while m * (m - 1) // 2 <= MOST_VERTICES:
        yield Graph(
            f"triangular graph T({m})",
            m * (m - 1) // 2,
            2 * (m - 2),
            m - 2,
            4,
            partial(triangular, m),
            viewed=False,
        )
        m += 1


def triangular(m: int) -> Adjacency:
    """Return the adjacency matrix of the triangular graph, whose vertices are the pairs of m elements.

    Two pairs are adjacent if they share one element.

    Args:
        m: Number of elements.
    """
    pairs = np.array(list(combinations(range(m), 2)))
    ones = np.zeros((len(pairs), m), dtype=np.int64)
    ones[np.arange(len(pairs))[:, None], pairs] = 1
    return ones @ ones.T == 1


def _paley_graphs() -> Iterator[Graph]:
    for q in prime_powers(256):
        if q % 4 == 1 and q > 5:
            yield Graph(
                f"Paley graph of GF({q})",
                q,
                (q - 1) // 2,
                (q - 5) // 4,
                (q - 1) // 4,
                partial(paley, q),
                viewed=False,
            )


def paley(q: int) -> Adjacency:
    """Return the adjacency matrix of the Paley graph, whose vertices are the elements of GF(q).

    Two elements are adjacent if their difference is a nonzero square.

    Args:
        q: Order of the field, a prime power with remainder 1 modulo 4.
    """
    F = field(q)
    squares = np.zeros(q, dtype=np.bool_)
    squares[np.diagonal(F.multiply)] = True
    squares[0] = False
    negative = np.argmin(F.add, axis=1)
    return squares[F.add[:, negative]]


def _latin_square_graphs() -> Iterator[Graph]:
    # if m is a prime power, the scheme `reed_solomon` has the same points
    for m in range(6, int(MOST_VERTICES**0.5) + 1):
        if prime_power(m):
            continue
        classes = min(_prime_power_factors(m)) + 1
        for t in range(3, classes + 1):
            yield Graph(
                f"Latin square graph of {t - 2} squares of order {m}",
                m * m,
                t * (m - 1),
                m - 2 + (t - 1) * (t - 2),
                t * (t - 1),
                partial(latin_squares, m, t),
                viewed=False,
            )


def _prime_power_factors(m: int) -> list[int]:
    # for each prime p that divides m, the largest power of p that divides m
    found: list[int] = []
    for p in prime_factors(m):
        power = p
        while m % (power * p) == 0:
            power *= p
        found.append(power)
    return found


def latin_squares(m: int, t: int) -> Adjacency:
    """Return the adjacency matrix of the graph of t - 2 mutually orthogonal Latin squares of order m.

    The vertices are the m^2 positions in an m x m square. Two positions are adjacent if they are in the same row, are
    in the same column, or have the same symbol in one of the Latin squares.

    If m is a prime power, the squares belong to the elements c = 1, ..., t - 2 of the field GF(m), and the symbol in
    row x and column y is x + c y. For other orders, each square is a product of such squares (MacNeish 1922).

    Args:
        m: Order of the squares.
        t: Number of Latin squares plus 2. If m is written as a product of powers of different primes, t is at most 1
            plus the smallest of these powers.
    """
    digits = _residues(m)
    adjacency = np.zeros((m * m, m * m), dtype=np.bool_)
    rows, columns = np.divmod(np.arange(m * m), m)
    labels = [rows, columns]
    for c in range(1, t - 1):
        symbols = np.zeros(m * m, dtype=np.int64)
        for q, numbers in digits:
            F = field(q)
            shifted = F.multiply[c, numbers[columns]]
            symbols = symbols * q + F.add[numbers[rows], shifted]
        labels.append(symbols)
    for label in labels:
        adjacency |= label[:, None] == label
    np.fill_diagonal(adjacency, False)
    return adjacency


def _residues(m: int) -> list[tuple[int, Indices]]:
    # for each q, the numbers 0, ..., m - 1 modulo q
    return [(q, np.arange(m) % q) for q in _prime_power_factors(m)]


def _polar_graphs() -> Iterator[Graph]:
    # the collinearity graphs of GQ(q, q^2) are built in the module `generalized_quadrangle`
    for q in prime_powers(9):
        yield Graph(
            f"symplectic graph Sp(4,{q})",
            (q + 1) * (q * q + 1),
            q * (q + 1),
            q - 1,
            q + 1,
            partial(symplectic, q),
        )
    yield Graph("unitary graph U(5,2)", 165, 36, 3, 9, unitary)
    yield Graph("elliptic graph O-(8,3)", 1066, 336, 92, 112, elliptic)


def projective_points(q: int, dim: int) -> Indices:
    """Return one vector on each line through 0 of GF(q)^dim, as rows; the first nonzero entry of each vector is 1.

    Args:
        q: Order of the field, a prime power.
        dim: Dimension of the vector space.
    """
    rows: list[tuple[int, ...]] = []
    for lead in range(dim):
        for rest in product(range(q), repeat=dim - 1 - lead):
            rows.append((*(0,) * lead, 1, *rest))
    return np.array(rows)


def _without_diagonal(orthogonal_pairs: Adjacency) -> Adjacency:
    return orthogonal_pairs & ~np.eye(len(orthogonal_pairs), dtype=np.bool_)


def symplectic(q: int) -> Adjacency:
    """Return the adjacency matrix of the symplectic graph Sp(4, q).

    The vertices are the points of the projective space PG(3, q). Two points x and y are adjacent if x0 y1 - x1 y0 + x2
    y3 - x3 y2 = 0.

    Args:
        q: Order of the field, a prime power.
    """
    negative = np.argmin(field(q).add, axis=1)
    points = projective_points(q, 4)
    images = points[:, [1, 0, 3, 2]]
    images[:, [1, 3]] = negative[images[:, [1, 3]]]
    return _without_diagonal(orthogonal(q, points, images))


def unitary() -> Adjacency:
    """Return the adjacency matrix of the unitary graph U(5,2).

    The vertices are the 165 points x of the projective space PG(4, 4) with x0^3 + ... + x4^3 = 0. Two points x and y
    are adjacent if x0 y0^2 + ... + x4 y4^2 = 0.
    """
    F = field(4)
    points = projective_points(4, 5)
    isotropic = np.count_nonzero(points, axis=1) % 2 == 0  # every norm is 1
    points = points[isotropic]
    conjugates = F.multiply[points, points].astype(np.int64)
    return _without_diagonal(orthogonal(4, points, conjugates))


def elliptic() -> Adjacency:
    """Return the adjacency matrix of the graph of the points of an elliptic quadric over GF(3).

    The quadric has the equation x0 x1 + x2 x3 + x4 x5 + x6^2 + x7^2 = 0. Two points are adjacent if they are orthogonal
    for the bilinear form of the quadric.
    """
    points = projective_points(3, 8)
    images = points[:, [1, 0, 3, 2, 5, 4, 6, 7]].copy()
    images[:, 6:] *= 2
    on_quadric = (points * images).sum(axis=1) % 3 == 0
    points = points[on_quadric]
    return _without_diagonal(points @ images[on_quadric].T % 3 == 0)


def _tangent_graphs() -> Iterator[Graph]:
    for q in (3, 5, 7):
        yield Graph(
            f"tangent graph NO-(5,{q})",
            q * q * (q * q - 1) // 2,
            (q - 1) * (q * q + 1),
            2 * (q * q - 1) - q * (q - 1),
            2 * q * (q - 1),
            partial(tangents, q),
        )


def tangents(q: int) -> Adjacency:
    """Return the adjacency matrix of a graph of points outside the quadric Q = x0 x1 + x2 x3 + x4^2 = 0 over GF(q).

    The vertices are either the points at which Q is a nonzero square or the points at which Q is not a square,
    whichever are fewer. Two points x and y are adjacent if the line through them is a tangent of the quadric. This is
    the case if B(x, y)^2 = 4 Q(x) Q(y), where B is the bilinear form of Q (Wilbrink).

    Args:
        q: Order of the field, an odd prime.
    """
    points = projective_points(q, 5)
    images = points[:, [1, 0, 3, 2, 4]].copy()
    images[:, 4] *= 2
    values = (points * images).sum(axis=1) * ((q + 1) // 2) % q
    squares = np.isin(values, np.arange(1, q) ** 2 % q)
    others = ~squares & (values != 0)
    chosen = min(squares, others, key=np.count_nonzero)
    forms = values[chosen]
    products = points[chosen] @ images[chosen].T
    return _without_diagonal((products**2 - 4 * forms[:, None] * forms) % q == 0)


def _ahrens_szekeres_graphs() -> Iterator[Graph]:
    for q in (3, 5, 7):
        yield Graph(
            f"Ahrens-Szekeres quadrangle over GF({q})",
            q**3,
            (q - 1) * (q + 2),
            q - 2,
            q + 2,
            partial(ahrens_szekeres, q),
        )


def ahrens_szekeres(q: int) -> Adjacency:
    """Return the adjacency matrix of the collinearity graph of a generalized quadrangle of order (q - 1, q + 1).

    The quadrangle is due to Ahrens & Szekeres (1969). Its points, the vertices of the graph, are the points of the
    affine space AG(3, q). Two points are adjacent if a line of the quadrangle contains both. Each line consists of the
    points (s, a, b), of the points (a, s, b), or of the points (c s^2 - b s + a, -2 c s + b, s), where s runs through
    GF(q) and a, b and c are fixed. Each point is on q + 2 lines.

    Args:
        q: Order of the field, an odd prime.
    """
    s = np.arange(q)
    adjacency = np.zeros((q**3, q**3), dtype=np.bool_)

    def join(x: Indices, y: Indices, z: Indices) -> None:
        line = (x % q * q + y % q) * q + z % q
        adjacency[line[:, None], line] = True

    for a, b in product(range(q), repeat=2):
        join(s, a + 0 * s, b + 0 * s)
        join(a + 0 * s, s, b + 0 * s)
        for c in range(q):
            join(c * s * s - b * s + a, b - 2 * c * s, s)
    return _without_diagonal(adjacency)
