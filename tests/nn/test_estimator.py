"""The estimator: scikit-learn's own checks, and accuracy beside its logistic regression."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import numpy as np
import pytest
import torch
from scipy.sparse import csr_array
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.estimator_checks import check_estimator

from protosphere import nn
from protosphere.errors import InvalidArgumentError
from protosphere.nn import PrototypeClassifier, PrototypeHead, linear_probe
from protosphere.nn import estimator as classifier
from protosphere.nn.feature_scaling import moments

UNFINISHED = pytest.mark.filterwarnings(
    "ignore:no convergence:sklearn.exceptions.ConvergenceWarning"
)


@pytest.mark.slow
@pytest.mark.filterwarnings(
    "ignore:Skipping check:sklearn.exceptions.SkipTestWarning"
)  # two ask for pandas and an option
@UNFINISHED
def test_scikit_learn_approves():
    outcomes = check_estimator(PrototypeClassifier())
    assert sum(one["status"] == "passed" for one in outcomes) > 45
    assert {one["status"] for one in outcomes} <= {"passed", "skipped"}


@pytest.fixture(scope="module")
def digits():
    images, classes = load_digits(return_X_y=True)
    return images[:900], classes[:900], images[900:], classes[900:]


@pytest.mark.slow
@UNFINISHED
def test_on_digits_it_is_as_good_as_logistic_regression(digits):
    train, train_classes, test, test_classes = digits
    mean = train.mean(axis=0)
    deviation = np.where(train.std(axis=0) > 0, train.std(axis=0), 1)
    plain = LogisticRegression(max_iter=500).fit(
        (train - mean) / deviation, train_classes
    )
    beside = plain.score((test - mean) / deviation, test_classes)
    linear = PrototypeClassifier(preset="lindstrom").fit(train, train_classes)
    assert linear.score(test, test_classes) >= beside - 0.005
    hidden = PrototypeClassifier(
        hidden=(64,), preset="protosphere", random_state=0
    ).fit(train, train_classes)
    assert hidden.score(test, test_classes) >= beside


def test_a_simplex_without_hidden_layers_is_logistic_regression(digits):
    """The difference of two logits is (z_j - z_k), scaled by the simplex's edge: so is the penalty."""
    train, train_classes, *_ = digits
    train = train[:200, 20:40]
    train_classes = train_classes[:200] % 3
    ours = PrototypeClassifier(preset="lindstrom", max_iter=2000, tol=1e-9).fit(
        train, train_classes
    )
    standard = (train - train.mean(axis=0)) / np.where(
        train.std(axis=0) > 0, train.std(axis=0), 1
    )
    edge = 3 / 2  # W = U C^T with |U|^2 = |W|^2 / edge, edge = K / (K - 1)
    plain = LogisticRegression(C=edge, max_iter=5000, tol=1e-9).fit(
        standard, train_classes
    )
    np.testing.assert_allclose(
        ours.predict_proba(train), plain.predict_proba(standard), atol=1e-3
    )


@UNFINISHED
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


@UNFINISHED
@pytest.mark.parametrize("solver", ["lbfgs", "adam"])
def test_a_grid_search_over_a_pipeline_takes_it(digits, solver):
    train, train_classes, *_ = digits
    pipeline = make_pipeline(
        MaxAbsScaler(), PrototypeClassifier(max_iter=9, solver=solver, random_state=0)
    )
    search = GridSearchCV(pipeline, {"prototypeclassifier__dim": [5, 9]}, cv=2)
    search.fit(csr_array(train[:200]), train_classes[:200])
    assert search.best_score_ > 0.7


def few(digits):
    train, train_classes, test, test_classes = digits
    return (
        train[:150, 20:40],
        train_classes[:150] % 3,
        test[:60, 20:40],
        test_classes[:60] % 3,
    )


def precise(**options):
    return PrototypeClassifier(max_iter=2000, tol=1e-9, random_state=0, **options)


def test_defaults_are_those_of_a_head(digits):
    train, train_classes, *_ = digits
    chosen = PrototypeClassifier(max_iter=2000).fit(train[:200], train_classes[:200])
    head = PrototypeHead(10, dim=9)
    assert chosen.head_.preset == head.preset
    assert (
        chosen.scheme == inspect.signature(PrototypeHead).parameters["scheme"].default
    )


@pytest.mark.parametrize("preset", ["lindstrom", "protosphere", "mettes"])
@UNFINISHED
def test_a_weight_counts_as_copies_do(digits, preset):
    train, classes, test, _ = few(digits)
    weights = np.arange(150) % 3
    copied, weighted = (
        PrototypeClassifier(preset=preset, max_iter=8, random_state=0) for _ in range(2)
    )
    copied.fit(np.repeat(train, weights, axis=0), np.repeat(classes, weights))
    weighted.fit(train, classes, sample_weight=weights)
    np.testing.assert_allclose(
        weighted.decision_function(test), copied.decision_function(test), atol=1e-8
    )


def test_classes_have_weights(digits):
    train, classes, test, _ = few(digits)
    for given in ("balanced", {0: 1.0, 1: 5.0, 2: 0.5}):
        ours = precise(class_weight=given).fit(train, classes)
        weighted = precise().fit(
            train, classes, sample_weight=compute_sample_weight(given, classes)
        )
        np.testing.assert_allclose(
            ours.predict_proba(test), weighted.predict_proba(test), atol=1e-6
        )
    with pytest.raises(
        ValueError, match="Sample weights must contain at least one non-zero number"
    ):  # scikit-learn's
        precise().fit(train, classes, sample_weight=np.zeros(150))


@pytest.mark.parametrize("solver", ["lbfgs", "adam"])
@UNFINISHED
def test_sparse_features_are_those_of_the_array(digits, solver, monkeypatch):
    train, classes, test, _ = few(digits)
    dense = PrototypeClassifier(solver=solver, random_state=0, max_iter=20).fit(
        train, classes
    )
    monkeypatch.setattr(linear_probe, "CHUNK_ENTRIES", 500)
    sparse = PrototypeClassifier(solver=solver, random_state=0, max_iter=20).fit(
        csr_array(train), classes
    )
    near = 1e-8 if solver == "lbfgs" else 1e-4
    np.testing.assert_allclose(
        sparse.embed(csr_array(test)), dense.embed(test), rtol=0, atol=near
    )
    assert np.array_equal(sparse.predict(csr_array(test)), sparse.predict(test))


def test_batches_come_near_the_whole(digits):
    train, classes, test, test_classes = digits
    whole = PrototypeClassifier(solver="lbfgs").fit(train, classes)
    batches = PrototypeClassifier(solver="adam", random_state=0).fit(train, classes)
    assert batches.n_iter_ < 60
    assert batches.score(test, test_classes) >= whole.score(test, test_classes) - 0.01
    assert batches.map_[0].weight.dtype == torch.float64


def test_much_work_goes_in_batches(monkeypatch):
    """20,000 x 100 with 500 classes: a hundred passes of L-BFGS took minutes."""
    monkeypatch.setattr(classifier, "fit_lbfgs", None)
    monkeypatch.setattr(
        classifier,
        "fit_adam",
        lambda probe, *rest: (probe.head.projection.kind, True),
    )
    estimator = PrototypeClassifier().fit(
        np.eye(100)[np.arange(20_000) % 100], np.arange(20_000) % 500
    )
    assert estimator.n_iter_ == "simplex"


def test_examples_may_come_in_parts(digits):
    train, classes, test, test_classes = digits
    estimator = PrototypeClassifier(random_state=0)
    with pytest.raises(
        ValueError, match="'classes' must be passed on the first call to partial_fit"
    ):
        estimator.partial_fit(train, classes)
    for _ in range(4):
        for part in np.array_split(np.arange(900), 3):
            estimator.partial_fit(train[part], classes[part], classes=np.arange(10))
    assert estimator.n_iter_ == 12
    assert estimator.score(test, test_classes) > 0.9
    whole = moments(train, np.ones(900))
    np.testing.assert_allclose(estimator._moments.mean, whole.mean, atol=1e-9)
    np.testing.assert_allclose(estimator._moments.variance, whole.variance, atol=1e-9)
    with pytest.raises(
        ValueError, match=r"'y' must hold classes that were there at first, got \[11\]"
    ):
        estimator.partial_fit(train[:1], [11])
    with pytest.raises(ValueError, match="'classes' must be the 10 of the first call"):
        estimator.partial_fit(train, classes, classes=np.arange(11))
    assert estimator.n_iter_ == 12, "what was refused has changed nothing"
    np.testing.assert_allclose(estimator._moments.mean, whole.mean, atol=1e-9)
    with pytest.raises(
        ValueError,
        match=r"'hidden' must be the widths of hidden layers, such as \(64,\), got 64",
    ):
        PrototypeClassifier(hidden=64).fit(train, classes)  # pyright: ignore[reportArgumentType]
    for widths in ((0,), (-4,), ("a",)):
        with pytest.raises(InvalidArgumentError, match="a width is an integer above 0"):
            PrototypeClassifier(hidden=widths).fit(train, classes)  # pyright: ignore[reportArgumentType]
    with pytest.raises(
        ValueError, match="'class_weight' must be weights for partial_fit"
    ):
        PrototypeClassifier(class_weight="balanced").partial_fit(
            train, classes, np.arange(10)
        )


@UNFINISHED
def test_logarithms_of_small_probabilities(digits):
    train, classes, test, _ = few(digits)
    estimator = PrototypeClassifier(scale=1e4, max_iter=5).fit(train, classes)
    logarithms = estimator.predict_log_proba(test)
    assert np.isfinite(logarithms).all()
    assert (logarithms < -800).any()
    np.testing.assert_allclose(
        np.exp(logarithms), estimator.predict_proba(test), atol=1e-12
    )


@pytest.mark.parametrize("solver", ["lbfgs", "adam"])
def test_what_ends_too_soon_says_so_and_passes_are_told(digits, solver, capsys):
    train, classes, *_ = few(digits)
    with pytest.warns(
        ConvergenceWarning,
        match="no convergence within 2 iterations; a larger 'max_iter' would help",
    ):
        PrototypeClassifier(solver=solver, max_iter=2, verbose=True).fit(train, classes)
    assert re.search(
        r"^(pass|evaluation) 2: loss \d\.\d+$", capsys.readouterr().err, re.M
    )
    with pytest.raises(
        ValueError, match="'solver' must be one of auto, lbfgs, adam, got 'newton'"
    ):
        PrototypeClassifier(solver="newton").fit(train, classes)


def test_scikit_learn_is_loaded_only_when_asked_for():
    room = Path(nn.__file__).parent
    importing = [
        path.name
        for path in room.rglob("*.py")
        if re.search(r"^(from|import) sklearn", path.read_text(), re.M)
    ]
    early = [
        path.name
        for path in room.rglob("*.py")
        if re.search(r"^from .*classifier import", path.read_text(), re.M)
    ]
    assert (importing, early) == (["estimator.py"], [])
