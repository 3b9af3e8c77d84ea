"""The warning for heads whose classes are many for their dimension: when it comes, and that it comes once."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import protosphere as ps
from protosphere.errors import ManyClassesWarning
from protosphere.nn import PrototypeHead, attach, growth
from protosphere.spherical import crowding


@pytest.fixture(autouse=True)
def not_warned_yet(monkeypatch):
    monkeypatch.setattr(growth, "_WARNED", [])


@pytest.mark.slow
@pytest.mark.parametrize(("num_classes", "dim"), [(2000, 128), (600, 32), (5000, 256)])
def test_many_classes_in_few_dimensions_warn_and_name_a_dimension_that_does_not(
    num_classes, dim
):
    with pytest.warns(ManyClassesWarning, match="'dim' of at least") as caught:
        PrototypeHead(num_classes, dim=dim)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    enough = crowding.least_roomy_dim(num_classes)
    assert f"at least {enough:,}" in str(caught[0].message)
    assert crowding.is_crowded(num_classes, enough - 1)
    assert not crowding.is_crowded(num_classes, enough)


def test_the_warning_comes_once_in_a_process():
    with pytest.warns(ManyClassesWarning):
        PrototypeHead(2000, dim=128)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        PrototypeHead(2000, dim=64)


def test_classes_that_the_reserve_has_room_for_count():
    with pytest.warns(ManyClassesWarning, match="2,000 classes"):
        PrototypeHead(10, dim=128, reserve=2000)


def test_attaching_a_crowded_head_warns():
    from torch import nn

    with pytest.warns(ManyClassesWarning):
        attach(nn.Sequential(nn.Linear(4, 4)), num_classes=2000, dim=128)


def test_codes_of_the_user_saved_heads_and_roomy_ones_do_not_warn():
    means = np.random.default_rng(0).standard_normal((600, 16))
    code = ps.from_points(means, normalize=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        head = PrototypeHead(code)
        PrototypeHead(10, reserve=code)
        PrototypeHead.from_state_dict(head.state_dict())
        PrototypeHead(100, dim=16)
    assert not any(
        crowding.is_crowded(*size)
        for size in ((10, 2), (100, 16), (1000, 128), (2000, 512))
    )


def test_codes_of_parts_do_not_warn_and_give_no_advice():
    code = ps.compose(sizes=(19, 21, 28))
    assert crowding.is_crowded(code.num_classes, code.dim)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        PrototypeHead(code)
    assert "ps.compose" not in code.explain()


def test_warning_and_explanation_name_the_calls_that_help():
    with pytest.warns(ManyClassesWarning, match=r"ps\.from_embeddings.*ps\.compose"):
        head = PrototypeHead(600, dim=32)
    assert crowding.crowding_advice(600, 32) in head.code.explain()
    roomy = ps.best(num_classes=100, dim=16, iterations=0)
    assert "ps.compose" not in roomy.explain()


def test_schemes_that_know_which_classes_are_alike_do_not_warn(monkeypatch):
    made = []
    monkeypatch.setattr(
        growth, "construct", lambda scheme, **given: made.append(given) or _any_code()
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        PrototypeHead(
            2000, dim=16, scheme="semantic", options={"similarity": "alike.npy"}
        )
        PrototypeHead(
            2000, dim=16, scheme="hierarchical", options={"tree": "classes.csv"}
        )
    assert len(made) == 2


def _any_code():
    rows = np.random.default_rng(0).standard_normal((2000, 16))
    return ps.from_points(rows, normalize=True)
