"""Codes whose points are the vertices of strongly regular graphs, projected to an eigenspace of the graph.

Some codes have all vertices of a graph. Each other code fixes one or two vertices, and has only the vertices that are
adjacent to given ones of the fixed vertices and not adjacent to the others.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import gcd, isqrt, sqrt

import numpy as np

from protosphere.constructions.families import Member, dense_member, family
from protosphere.constructions.frames.graphs import Graph, graphs
from protosphere.constructions.frames.tight_frames import frame
from protosphere.geometry.sphere import normalized
from protosphere.spherical.structures.plain import FINEST_STEP
from protosphere.types import Cosine, Points


@dataclass(frozen=True)
class Eigenspace:
    """An eigenspace of a strongly regular graph, in which each vertex of the graph has a point.

    An eigenspace of a graph is an eigenspace of its adjacency matrix. The point of a vertex is its vector of the
    standard basis, projected to the eigenspace and normalized.

    Attributes:
        dim: Dimension of the eigenspace.
        adjacent: Cosine of the points of two adjacent vertices.
        apart: Cosine of the points of two non-adjacent vertices.
    """

    dim: int
    adjacent: Cosine
    apart: Cosine


def least_eigenspace(graph: Graph) -> Eigenspace:
    """Return the eigenspace of the smallest eigenvalue of a strongly regular graph.

    Let s be the smallest eigenvalue of a graph of v vertices of degree k. In the eigenspace, the points of two adjacent
    vertices have cosine s/k. The points of two non-adjacent vertices have cosine (-1 - s)/(v - k - 1).
    """
    v = graph.vertices
    k = graph.degree
    difference = graph.common - graph.common_apart
    discriminant = difference**2 + 4 * (k - graph.common_apart)
    root = isqrt(discriminant)
    if root * root == discriminant:
        least = Fraction(difference - root, 2)
        half = Fraction(2 * k + (v - 1) * difference, root)
        dim = int((v - 1 + half) / 2)
        return Eigenspace(dim, least / k, (-1 - least) / (v - k - 1))
    irrational = (difference - sqrt(discriminant)) / 2  # a conference graph
    return Eigenspace((v - 1) // 2, irrational / k, (-1 - irrational) / (v - k - 1))


@dataclass(frozen=True)
class View:
    """A rule that chooses vertices of a strongly regular graph by their adjacency to one or two fixed vertices.

    Each vertex has a point, a unit vector in an eigenspace of the graph. The points of the chosen vertices are
    projected to the orthogonal complement of the points of the fixed vertices, and normalized.

    Attributes:
        name: Text that describes the rule, such as "adjacent to one vertex".
        num_fixed: Number of fixed vertices, 1 or 2.
        fixed_adjacent: True if there are two fixed vertices and they are adjacent, False otherwise.
        adjacent: For each fixed vertex, True if all chosen vertices are adjacent to it, and False if none of them is.
    """

    name: str
    num_fixed: int
    fixed_adjacent: bool
    adjacent: tuple[bool, ...]

    def size(self, graph: Graph) -> int:
        """Return the number of vertices of `graph` that this rule chooses. The fixed vertices are not chosen."""
        v = graph.vertices
        k = graph.degree
        if self.num_fixed == 1:
            return k if self.adjacent[0] else v - k - 1
        shared = graph.common if self.fixed_adjacent else graph.common_apart
        only_one = k - shared - self.fixed_adjacent
        if all(self.adjacent):
            return shared
        if any(self.adjacent):
            return only_one
        return v - 2 - shared - 2 * only_one

    def cosines(self, eigenspace: Eigenspace) -> tuple[Fraction, Fraction]:
        """Return the two cosines that occur between the points of different vertices that this rule chooses.

        The points of the chosen vertices are projected to the orthogonal complement of the points of the fixed
        vertices, and normalized. The cosine of two of these points then depends only on whether their vertices are
        adjacent.

        Args:
            eigenspace: Eigenspace of the graph, with the cosines of the points before the projection.

        Returns:
            A tuple of two numbers: the cosine of the points of two adjacent vertices, and the cosine of the points of
            two non-adjacent vertices.
        """
        a = Fraction(eigenspace.adjacent)
        b = Fraction(eigenspace.apart)
        toward = [a if adjacent else b for adjacent in self.adjacent]
        if self.num_fixed == 1:
            lost = toward[0] ** 2
        else:
            c = a if self.fixed_adjacent else b
            x, y = toward
            lost = (x * x + y * y - 2 * c * x * y) / (1 - c * c)
        return (a - lost) / (1 - lost), (b - lost) / (1 - lost)


VIEWS = (
    View("not adjacent to one vertex", 1, False, (False,)),
    View("adjacent to one vertex", 1, False, (True,)),
    View("adjacent to neither of two adjacent vertices", 2, True, (False, False)),
    View("adjacent to one of two adjacent vertices", 2, True, (True, False)),
    View("adjacent to neither of two vertices apart", 2, False, (False, False)),
    View("adjacent to one of two vertices apart", 2, False, (True, False)),
    View("adjacent to both of two vertices apart", 2, False, (True, True)),
)
"""Rules for which the number of chosen vertices follows from the parameters of the graph."""


@family(
    summary="vertices of strongly regular graphs in an eigenspace, (n, K) = (4,10), (20,56), (21,77), (22,100), ...",
    reference="Delsarte, Goethals & Seidel (1977); Cameron, Goethals & Seidel (1978); Brouwer & Van Maldeghem (2022)",
)
def strongly_regular() -> Iterator[Member]:
    """Yield codes whose points are vertices of strongly regular graphs.

    A vertex is a vector of the standard basis, which is projected to the eigenspace of the smallest eigenvalue s of the
    adjacency matrix and normalized. In a graph of v vertices of degree k, the cosine is then s/k for adjacent vertices,
    and (-1 - s)/(v - k - 1) for non-adjacent vertices. Complements of graphs are included.

    Some codes have all vertices of a graph. Each other code fixes one or two vertices, and has only the vertices that
    are adjacent to given ones of the fixed vertices and not adjacent to the others. The points of such a code are
    projected to the orthogonal complement of the points of the fixed vertices, and normalized.

    Only codes with K > 2n are listed. For other K, the maximum cosine of the cross-polytope is at least as low.
    """
    for graph in graphs():
        for one in (graph, graph.complement):
            yield from _members(one)


def _members(graph: Graph) -> Iterator[Member]:
    eigenspace = least_eigenspace(graph)
    if graph.vertices > 2 * eigenspace.dim > 2:
        yield _member(
            eigenspace.dim,
            graph.vertices,
            (eigenspace.adjacent, eigenspace.apart),
            graph.name,
            partial(_points, graph),
        )
    if not graph.viewed:
        return
    for view in VIEWS:
        dim = eigenspace.dim - view.num_fixed
        size = view.size(graph)
        if not size > 2 * dim > 2:
            continue
        cosines = view.cosines(eigenspace)
        if max(cosines) < 1:
            name = f"{graph.name}, {view.name}"
            yield _member(
                dim, size, cosines, name, partial(_chosen_points, graph, view)
            )


def _member(
    dim: int,
    size: int,
    cosines: tuple[Cosine, Cosine],
    name: str,
    points: Callable[[int], Points],
) -> Member:
    id = re.sub("[^a-z0-9]+", "-", name.lower()).strip("-")
    return dense_member(
        dim, size, max(cosines), id, name, points, _common_step(cosines)
    )


def _common_step(cosines: tuple[Cosine, Cosine]) -> Fraction | None:
    first, second = cosines
    if not (isinstance(first, Fraction) and isinstance(second, Fraction)):
        return None  # at least one cosine is irrational
    left = 1 - first
    right = 1 - second
    # 1 - c is a multiple of the step for both cosines c, and no larger fraction has this property
    over = gcd(left.numerator * right.denominator, right.numerator * left.denominator)
    step = Fraction(over, left.denominator * right.denominator)
    return step if step.denominator <= FINEST_STEP else None


def _points(graph: Graph, count: int) -> Points:
    eigenspace = least_eigenspace(graph)
    cosines = np.where(
        graph.adjacency(), float(eigenspace.adjacent), float(eigenspace.apart)
    )
    return frame(cosines, eigenspace.dim)[:count]


def _chosen_points(graph: Graph, view: View, count: int) -> Points:
    adjacency = graph.adjacency()
    points = _points(graph, graph.vertices)
    fixed = [0]
    if view.num_fixed == 2:
        related = adjacency[0] == view.fixed_adjacent
        related[0] = False
        fixed.append(int(np.argmax(related)))
    chosen = np.ones(graph.vertices, dtype=np.bool_)
    for vertex, adjacent in zip(fixed, view.adjacent, strict=True):
        chosen &= adjacency[vertex] == adjacent
    chosen[fixed] = False
    basis: Points = np.linalg.qr(points[fixed].T, mode="complete")[0]
    across = basis[:, view.num_fixed :]
    return normalized(points[chosen][:count] @ across)
