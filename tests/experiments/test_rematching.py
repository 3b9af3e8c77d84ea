"""Prototypes given to classes anew between epochs."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import protosphere as ps
from protosphere.assignment import similarity_from_embeddings
from protosphere.data import load_dataset
from protosphere.experiments import load_config
from protosphere.experiments.checkpoint import weights_digest
from protosphere.experiments.class_similarity import measured_class_means
from protosphere.experiments.devices import make_fabric
from protosphere.experiments.loop import train
from protosphere.experiments.rematching import linear_assignment


def test_classes_get_the_prototypes_that_their_examples_come_near(features, tmp_path):
    """The same points in an order with a larger sum of products, and the run goes on from any epoch's checkpoint."""
    config = load_config("quick-features").changed(
        dataset=features,
        scheme="cross_polytope",
        dim=3,
        epochs=4,
        batch_size=60,
        threads=1,
        reassignment=2,
        lr=0.02,
    )
    start = ps.construct("cross_polytope", num_classes=6, dim=3)
    dataset = load_dataset(features)
    fabric = make_fabric("cpu", config.precision)

    def whole():
        return train(
            config, start, dataset, tmp_path / "whole", fabric, tensorboard=False
        )

    def stopped_after(epoch):
        def report(metrics):
            if metrics.epoch == epoch:
                raise KeyboardInterrupt

        folder = tmp_path / str(epoch)
        with pytest.raises(KeyboardInterrupt):
            train(
                config, start, dataset, folder, fabric, tensorboard=False, report=report
            )
        return train(config, start, dataset, folder, fabric, tensorboard=False)

    found = whole()
    points = found.classifier.head.prototypes().double().numpy()
    assert not np.allclose(points, start.points)
    assert {tuple(row) for row in points.round(6)} == {
        tuple(row) for row in start.points.round(6)
    }
    similarity = similarity_from_embeddings(
        measured_class_means(config, dataset, tmp_path, fabric)
    )
    assert (points @ points.T * similarity).sum() > (
        start.points @ start.points.T * similarity
    ).sum()
    for again in map(stopped_after, (1, 2, 3)):
        assert weights_digest(again.classifier.learned()) == weights_digest(
            found.classifier.learned()
        )
        assert np.array_equal(
            again.classifier.head.prototypes().double().numpy(), points
        )
        assert again.metrics == found.metrics


@given(arrays(np.float64, (6, 3), elements=st.floats(-1, 1)))
def test_no_order_has_a_larger_sum_than_the_linear_assignment(directions):
    points = ps.construct("cross_polytope", num_classes=6, dim=3).points
    products = directions @ points.T
    best = max(
        sum(products[k, p] for k, p in enumerate(order))
        for order in permutations(range(6))
    )
    assert np.isclose(
        products[np.arange(6), linear_assignment(directions, points)].sum(), best
    )
