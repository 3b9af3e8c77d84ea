"""Strongly regular graphs: the matrices have their parameters, the points their cosines."""

from __future__ import annotations

import numpy as np
import pytest

import protosphere as ps
from protosphere.constructions.frames.graphs import graphs
from protosphere.constructions.frames.strongly_regular import (
    least_eigenspace,
    strongly_regular,
)

SMALL = [graph for graph in graphs() if graph.vertices <= 280 and graph.viewed]
SMALL += [graph for graph in graphs() if graph.vertices <= 64 and not graph.viewed]


@pytest.mark.parametrize("graph", SMALL, ids=lambda graph: graph.name)
def test_adjacency_matrix_satisfies_the_equation_of_its_parameters(graph):
    for one in (graph, graph.complement):
        adjacency = one.adjacency().astype(np.float32)
        identity = np.eye(one.vertices, dtype=np.float32)
        others = 1 - identity - adjacency
        expected = one.degree * identity
        expected += one.common * adjacency + one.common_apart * others
        assert (adjacency == adjacency.T).all()
        assert (adjacency @ adjacency == expected).all()


@pytest.mark.parametrize("graph", SMALL[:8], ids=lambda graph: graph.name)
def test_dimension_is_the_multiplicity_of_the_least_eigenvalue(graph):
    spectrum = least_eigenspace(graph)
    eigenvalues = np.linalg.eigvalsh(graph.adjacency().astype(np.float64))
    least = eigenvalues[0]
    assert np.count_nonzero(np.abs(eigenvalues - least) < 1e-8) == spectrum.dim
    assert float(spectrum.adjacent) == pytest.approx(least / graph.degree)


@pytest.mark.parametrize(
    "member",
    [
        one
        for one in strongly_regular(64)
        if one.size <= 165 and "graph" in one.description
    ],
    ids=lambda member: member.id,
)
def test_members_have_as_many_points_and_the_cosine_that_they_promise(member):
    points = member.place(member.size).structure.points
    assert points.shape == (member.size, member.dim)
    cosines = points @ points.T - 2 * np.eye(member.size)
    assert cosines.max() <= float(member.max_cosine) + 1e-12


@pytest.mark.parametrize(
    ("num_classes", "dim", "denominator"),
    [
        (56, 20, 15),
        (77, 21, 12),
        (105, 20, 8),
        (50, 21, 21),
        (125, 40, 16),
        (165, 44, 16),
    ],
)
def test_best_is_no_worse_than_these_graphs(num_classes, dim, denominator):
    code = ps.best(num_classes=num_classes, dim=dim, iterations=0)
    assert float(code.max_cosine) <= 1 / denominator + 1e-12
