"""Numbers of prototypes in records, and seeds for what varies in them."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import protosphere as ps
from protosphere.data import load_dataset
from protosphere.experiments import load_config
from protosphere.experiments.batches import device_data
from protosphere.experiments.code_metrics import code_metrics
from protosphere.experiments.run import constructed


def test_prototypes_and_split_have_seeds_of_their_own(features):
    """Each changes what it is of, and nothing else; without one it is the run's."""
    dataset = load_dataset(features)
    config = load_config("quick-features").changed(
        dataset=features, scheme="cross_polytope", dim=3, mapping="random"
    )

    def prototypes(**seeds):
        return constructed(config.changed(**seeds), 6).points

    def held_out(**seeds):
        return device_data(
            dataset, config.changed(**seeds), torch.device("cpu")
        ).validation.inputs

    assert np.array_equal(
        prototypes(seed=3), prototypes(seed=8, prototype_seed=3, split_seed=5)
    )
    assert not np.array_equal(prototypes(seed=3), prototypes(seed=3, prototype_seed=4))
    assert torch.equal(
        held_out(seed=3), held_out(seed=8, split_seed=3, prototype_seed=5)
    )
    assert not torch.equal(held_out(seed=3), held_out(seed=3, split_seed=4))


def test_numbers_of_a_code_against_those_of_textbooks(features):
    """K points of a simplex have the mean square 1 / (K - 1)^2; n pairs of a cross-polytope are antipodal."""
    dataset = load_dataset(features)
    simplex = code_metrics(ps.construct("simplex", num_classes=6, dim=5), dataset)
    assert simplex["code_mean_square"] == pytest.approx(1 / 25)
    assert simplex["code_min_cosine"] == pytest.approx(-1 / 5)
    assert simplex["code_agreement"] == 0
    cross = code_metrics(ps.construct("cross_polytope", num_classes=6, dim=3), dataset)
    assert (cross["code_antipodal_pairs"], cross["code_mean_square"]) == (
        3,
        pytest.approx(3 / 15),
    )
    assert cross["code_energy"] > simplex["code_energy"]
    assert (
        code_metrics(ps.construct("simplex", num_classes=2500, dim=2499), dataset) == {}
    )
