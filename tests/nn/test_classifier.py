"""The estimator: scikit-learn's own checks, and accuracy beside its logistic regression."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import torch
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import check_estimator

from protosphere import nn
from protosphere.nn import PrototypeClassifier


@pytest.mark.filterwarnings(
    "ignore:Skipping check:sklearn.exceptions.SkipTestWarning"
)  # two ask for pandas and an option
def test_scikit_learn_approves():
    outcomes = check_estimator(PrototypeClassifier())
    assert sum(one["status"] == "passed" for one in outcomes) > 45
    assert {one["status"] for one in outcomes} <= {"passed", "skipped"}


@pytest.fixture(scope="module")
def digits():
    images, classes = load_digits(return_X_y=True)
    return images[:900], classes[:900], images[900:], classes[900:]


def test_on_digits_it_is_as_good_as_logistic_regression(digits):
    train, train_classes, test, test_classes = digits
    mean, deviation = train.mean(axis=0), np.where(train.std(axis=0) > 0, train.std(axis=0), 1)
    plain = LogisticRegression(max_iter=500).fit((train - mean) / deviation, train_classes)
    beside = plain.score((test - mean) / deviation, test_classes)
    assert PrototypeClassifier().fit(train, train_classes).score(test, test_classes) >= beside - 0.005
    hidden = PrototypeClassifier(hidden=(64,), preset="protosphere", random_state=0).fit(train, train_classes)
    assert hidden.score(test, test_classes) >= beside


def test_a_simplex_without_hidden_layers_is_logistic_regression(digits):
    """The difference of two logits is (z_j - z_k), scaled by the simplex's edge: so is the penalty."""
    train, train_classes, *_ = digits
    train, train_classes = train[:200, 20:40], train_classes[:200] % 3
    ours = PrototypeClassifier(max_iter=2000, tol=1e-9).fit(train, train_classes)
    standard = (train - train.mean(axis=0)) / np.where(train.std(axis=0) > 0, train.std(axis=0), 1)
    edge = 3 / 2  # W = U C^T with |U|^2 = |W|^2 / edge, edge = K / (K - 1)
    plain = LogisticRegression(C=edge, max_iter=5000, tol=1e-9).fit(standard, train_classes)
    np.testing.assert_allclose(ours.predict_proba(train), plain.predict_proba(standard), atol=1e-3)


def test_seeds_and_the_global_generator(digits):
    train, train_classes, test, _ = digits
    before = torch.get_rng_state()
    first, second = (
        PrototypeClassifier(hidden=(8,), max_iter=20, random_state=seed)
        .fit(train, train_classes)
        .decision_function(test)
        for seed in (1, 1)
    )
    assert np.array_equal(first, second)
    assert torch.equal(before, torch.get_rng_state())


def test_a_grid_search_takes_it(digits):
    train, train_classes, *_ = digits
    search = GridSearchCV(PrototypeClassifier(max_iter=20), {"dim": [5, 9]}, cv=2).fit(train[:200], train_classes[:200])
    assert search.best_params_["dim"] in (5, 9)


def test_scikit_learn_is_loaded_only_when_asked_for():
    room = Path(nn.__file__).parent
    importing = [
        path.name for path in room.rglob("*.py") if re.search(r"^(from|import) sklearn", path.read_text(), re.M)
    ]
    early = [
        path.name for path in room.rglob("*.py") if re.search(r"^from .*classifier import", path.read_text(), re.M)
    ]
    assert (importing, early) == (["classifier.py"], [])
