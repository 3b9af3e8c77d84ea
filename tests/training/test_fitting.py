"""Prototypes that depend on the training examples: aligned with what is seen of classes, or rehearsed."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import protosphere as ps
from protosphere.assignment import similarity_from_embeddings, similarity_from_table
from protosphere.data import load_dataset
from protosphere.errors import InvalidArgumentError, StorageError
from protosphere.nn import PrototypeHead
from protosphere.training import load_model, load_recipe
from protosphere.training.batches import device_data
from protosphere.training.checkpoint import weights_digest
from protosphere.training.class_similarity import class_similarity, logit_correlations, measured_class_means
from protosphere.training.code_metrics import code_metrics
from protosphere.training.devices import make_fabric
from protosphere.training.fitting import PROTOTYPES_FILE
from protosphere.training.machine import Machine
from protosphere.training.reassignment import linear_assignment
from protosphere.training.rehearsal import MovingPrototypes
from protosphere.training.runs import prototypes_of, run
from protosphere.training.training import train


@pytest.fixture
def features(tmp_path):
    """Six classes in three pairs that are alike."""
    rng = np.random.default_rng(0)
    middles = np.repeat(rng.standard_normal((3, 8)), 2, axis=0) + 0.3 * rng.standard_normal((6, 8))
    content = {}
    for name, count in (("train", 240), ("test", 60)):
        labels = np.arange(count) % 6
        content[f"y_{name}"] = labels
        content[f"x_{name}"] = (middles[labels] + 0.1 * rng.standard_normal((count, 8))).astype(np.float32)
    np.savez(tmp_path / "pairs.npz", **content)
    return str(tmp_path / "pairs.npz")


def pair_sum(code, similarity):
    return float((code.points @ code.points.T * similarity).sum())


@pytest.mark.parametrize("scheme", ["cross_polytope", "semantic"])
def test_similar_classes_get_near_prototypes_and_keep_them(features, tmp_path, scheme):
    recipe = load_recipe("quick-features").changed(
        dataset=features, scheme=scheme, dim=3, epochs=1, batch_size=60, backbone="linear", threads=1, mapping="align"
    )
    dataset, fabric = load_dataset(features), make_fabric(Machine("cpu"), recipe.precision)
    similarity = similarity_from_embeddings(measured_class_means(recipe, dataset, tmp_path, fabric))
    codes = {}
    for mapping in ("align", "oppose"):
        folder = tmp_path / mapping
        first = run(recipe.changed(mapping=mapping), dataset, folder, fabric, tensorboard=False)
        assert first.status == "done"
        codes[mapping] = ps.load(folder / PROTOTYPES_FILE)
    plain = ps.construct("cross_polytope", num_classes=6, dim=3)
    assert pair_sum(codes["align"], similarity) > pair_sum(plain, similarity) - 1e-9
    assert pair_sum(codes["align"], similarity) > pair_sum(codes["oppose"], similarity) + 0.1
    assert not (tmp_path / "align" / "warm-up").exists()
    agreement = {mapping: code_metrics(code, dataset)["code_agreement"] for mapping, code in codes.items()}
    assert agreement["align"] > agreement["oppose"] + 0.1
    assert first.metrics["code_agreement"] == pytest.approx(agreement["oppose"])


@pytest.mark.parametrize(("scheme", "least"), [("semantic", 0.95), ("hierarchical", 0.5), ("cross_polytope", 0.2)])
def test_prototypes_take_after_what_a_bottleneck_learns(features, tmp_path, scheme, least):
    tree = {str(number): f"pair {number // 2}" for number in range(6)}
    recipe = load_recipe("quick-features").changed(
        dataset=features, scheme=scheme, dim=3, epochs=4, batch_size=60, backbone="linear", threads=1, lr=0.1,
        options={"tree": ps.taxonomy(tree).text} if scheme == "hierarchical" else {},
    ).changed(mapping="align", similarity="learned")  # fmt: skip
    dataset, fabric = load_dataset(features), make_fabric(Machine("cpu"), recipe.precision)
    learned = class_similarity(recipe, dataset, tmp_path, fabric)
    values = np.linalg.eigvalsh(learned)
    assert np.abs(values[:3]).max() < 1e-12
    np.testing.assert_allclose(learned.diagonal(), 1)
    assert run(recipe, dataset, tmp_path, fabric, tensorboard=False).status == "done"
    code = ps.load(tmp_path / PROTOTYPES_FILE)
    cosines = (code.points @ code.points.T)[np.triu_indices(6, 1)]
    assert np.corrcoef(cosines, learned[np.triu_indices(6, 1)])[0, 1] > least
    assert not (tmp_path / "warm-up").exists()


def test_images_are_seen_by_the_network_after_an_epoch(tmp_path):
    recipe = load_recipe("quick-digits").changed(
        scheme="cross_polytope", dim=5, epochs=1, mapping="align", train_images=200, threads=1
    )
    dataset, fabric = load_dataset("digits"), make_fabric(Machine("cpu"), recipe.precision)
    records = [run(recipe, dataset, tmp_path / name, fabric, tensorboard=False) for name in ("a", "b")]
    assert records[0].weights == records[1].weights
    assert ps.load(tmp_path / "a" / PROTOTYPES_FILE).explain().startswith("Assigned to align")


def test_similarity_comes_from_a_table_of_vectors_by_name(features, tmp_path):
    names = [str(number) for number in range(6)]
    vectors = np.random.default_rng(1).standard_normal((6, 4))
    lines = [f"{name},word,{','.join(map(repr, row.tolist()))}" for name, row in zip(names, vectors, strict=True)]
    table = tmp_path / "words.csv"
    table.write_text("\n".join(["class,kind,a,b,c,d", *reversed(lines)]))
    recipe = load_recipe("quick-features").changed(
        dataset=features, scheme="cross_polytope", dim=3, mapping="align", similarity=str(table)
    )
    found = class_similarity(recipe, load_dataset(features), tmp_path, make_fabric(Machine("cpu"), recipe.precision))
    assert np.allclose(found, similarity_from_embeddings(vectors))
    table.write_text("class,a\n0,1\n")
    with pytest.raises(InvalidArgumentError, match="no line for the class '1'"):
        similarity_from_table(table, names)
    table.write_text("\n".join(["class,kind", *(f"{name},word" for name in names)]))
    with pytest.raises(InvalidArgumentError, match="no column of numbers"):
        similarity_from_table(table, names)
    table.write_text("\n".join(["class,a,b", "0,nan,1", *(f"{name},1,{name}" for name in names[1:])]))
    with pytest.raises(InvalidArgumentError, match="must be finite, got NaN or infinity in row 0"):
        similarity_from_table(table, names)
    table.write_text("\n".join(["class,a,b", "3,0,1", *(f"{name},1,{name}" for name in names)]))
    with pytest.raises(InvalidArgumentError, match="two lines for the class '3'"):
        similarity_from_table(table, names)
    with pytest.raises(StorageError, match="cannot read"):
        similarity_from_table(tmp_path / "none.csv", names)


def test_label_noise_gives_its_share_of_the_training_examples_another_class():
    dataset = load_dataset("digits")
    clean, noisy = (
        device_data(dataset, load_recipe("quick-digits").changed(label_noise=share), torch.device("cpu"))
        for share in (0.0, 0.2)
    )
    differ = clean.train.labels != noisy.train.labels
    assert int(differ.sum()) == round(0.2 * len(differ))
    shifts = torch.bincount((noisy.train.labels - clean.train.labels)[differ] % 10, minlength=10)[1:]
    assert int(shifts.min()) > 0.5 * float(differ.sum()) / 9
    assert torch.equal(clean.validation.labels, noisy.validation.labels)
    assert torch.equal(clean.train.inputs, noisy.train.inputs)


def test_alike_classes_have_correlated_logits(features, tmp_path):
    recipe = load_recipe("quick-features").changed(dataset=features, dim=6, batch_size=6, lr=0.1, threads=1)
    dataset, fabric = load_dataset(features), make_fabric(Machine("cpu"), recipe.precision)
    found = logit_correlations(recipe, dataset, tmp_path, fabric)
    assert np.allclose(np.diag(found), 1)
    assert np.allclose(found, found.T)
    pairs = [found[first, first + 1] for first in (0, 2, 4)]
    others = found[np.triu_indices(6, 1)]
    assert min(pairs) > np.sort(others)[-4]


def test_a_rehearsal_moves_prototypes_which_are_fixed_then(features, tmp_path):
    recipe = load_recipe("quick-features").changed(
        dataset=features, scheme="cross_polytope", dim=3, epochs=2, batch_size=60, threads=1, rehearsal=2, lr=0.2
    )
    dataset, fabric = load_dataset(features), make_fabric(Machine("cpu"), recipe.precision)
    first, again = (run(recipe, dataset, tmp_path / name, fabric, tensorboard=False) for name in ("a", "b"))
    assert first.weights == again.weights
    kept = ps.load(tmp_path / "a" / PROTOTYPES_FILE)
    start = ps.construct("cross_polytope", num_classes=6, dim=3)
    assert np.abs(kept.points - start.points).max() > 0.05
    similarity = similarity_from_embeddings(measured_class_means(recipe, dataset, tmp_path, fabric))
    assert pair_sum(kept, similarity) > pair_sum(start, similarity)
    model = load_model(tmp_path / "a")
    assert torch.allclose(model.head.prototypes(), torch.tensor(kept.points, dtype=torch.float32), atol=1e-6)
    assert not (tmp_path / "a" / "rehearsal").exists()


def test_classes_get_the_prototypes_that_their_examples_come_near(features, tmp_path):
    """The same points in an order with a larger sum of products, and the run goes on from any epoch's checkpoint."""
    recipe = load_recipe("quick-features").changed(
        dataset=features, scheme="cross_polytope", dim=3, epochs=4, batch_size=60, threads=1, reassignment=2, lr=0.02
    )
    start = ps.construct("cross_polytope", num_classes=6, dim=3)
    dataset, fabric = load_dataset(features), make_fabric(Machine("cpu"), recipe.precision)

    def whole():
        return train(recipe, start, dataset, tmp_path / "whole", fabric, tensorboard=False)

    def stopped_after(epoch):
        def report(metrics):
            if metrics.epoch == epoch:
                raise KeyboardInterrupt

        folder = tmp_path / str(epoch)
        with pytest.raises(KeyboardInterrupt):
            train(recipe, start, dataset, folder, fabric, tensorboard=False, report=report)
        return train(recipe, start, dataset, folder, fabric, tensorboard=False)

    found = whole()
    points = found.classifier.head.prototypes().double().numpy()
    assert not np.allclose(points, start.points)
    assert {tuple(row) for row in points.round(6)} == {tuple(row) for row in start.points.round(6)}
    similarity = similarity_from_embeddings(measured_class_means(recipe, dataset, tmp_path, fabric))
    assert (points @ points.T * similarity).sum() > pair_sum(start, similarity)
    for again in map(stopped_after, (1, 2, 3)):
        assert weights_digest(again.classifier.learned()) == weights_digest(found.classifier.learned())
        assert np.array_equal(again.classifier.head.prototypes().double().numpy(), points)
        assert again.test == found.test


@given(arrays(np.float64, (6, 3), elements=st.floats(-1, 1)))
def test_no_order_has_a_larger_sum_than_the_linear_assignment(directions):
    points = ps.construct("cross_polytope", num_classes=6, dim=3).points
    products = directions @ points.T
    best = max(sum(products[k, p] for k, p in enumerate(order)) for order in permutations(range(6)))
    assert np.isclose(products[np.arange(6), linear_assignment(directions, points)].sum(), best)


def test_prototypes_and_split_have_seeds_of_their_own(features):
    """Each changes what it is of, and nothing else; without one it is the run's."""
    dataset = load_dataset(features)
    recipe = load_recipe("quick-features").changed(dataset=features, scheme="cross_polytope", dim=3, mapping="random")

    def prototypes(**seeds):
        return prototypes_of(recipe.changed(**seeds), 6).points

    def kept_apart(**seeds):
        return device_data(dataset, recipe.changed(**seeds), torch.device("cpu")).validation.inputs

    assert np.array_equal(prototypes(seed=3), prototypes(seed=8, prototype_seed=3, split_seed=5))
    assert not np.array_equal(prototypes(seed=3), prototypes(seed=3, prototype_seed=4))
    assert torch.equal(kept_apart(seed=3), kept_apart(seed=8, split_seed=3, prototype_seed=5))
    assert not torch.equal(kept_apart(seed=3), kept_apart(seed=3, split_seed=4))


def test_numbers_of_a_code_against_those_of_textbooks(features):
    """K points of a simplex have the mean square 1 / (K - 1)^2; n pairs of a cross-polytope are opposed."""
    dataset = load_dataset(features)
    simplex = code_metrics(ps.construct("simplex", num_classes=6, dim=5), dataset)
    assert simplex["code_mean_square"] == pytest.approx(1 / 25)
    assert simplex["code_least_cosine"] == pytest.approx(-1 / 5)
    assert simplex["code_agreement"] == 0
    cross = code_metrics(ps.construct("cross_polytope", num_classes=6, dim=3), dataset)
    assert (cross["code_opposed_pairs"], cross["code_mean_square"]) == (3, pytest.approx(3 / 15))
    assert cross["code_energy"] > simplex["code_energy"]
    assert code_metrics(ps.construct("simplex", num_classes=2500, dim=2499), dataset) == {}


def test_moving_prototypes_begin_as_the_head_does():
    code = ps.construct("cross_polytope", num_classes=6, dim=3)
    z = torch.randn(5, 3, generator=torch.Generator().manual_seed(0))
    assert torch.allclose(
        MovingPrototypes(code, "soft_cap", "auto")(z), PrototypeHead(code, preset="soft_cap")(z), atol=1e-5
    )


def test_a_tree_comes_in_the_order_of_the_data(features):
    """Classes 0 and 5 are siblings, and so are the rest; the tree names them in another order."""
    tree = ps.taxonomy({str(number): "outer" if number in (0, 5) else "inner" for number in (3, 0, 4, 1, 5, 2)})
    recipe = load_recipe("quick-features").changed(
        dataset=features, scheme="hierarchical", dim=5, options={"tree": tree.text}
    )
    code = prototypes_of(recipe, 6, load_dataset(features).class_names)
    cosines = code.points @ code.points.T
    assert cosines[0, 5] > cosines[0, 1:5].max() + 0.2
    with pytest.raises(InvalidArgumentError, match="the tree has no class '7'"):
        prototypes_of(recipe, 6, ("0", "1", "2", "3", "4", "7"))
