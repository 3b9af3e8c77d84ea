"""Prototypes that depend on the training examples: aligned with what is seen of classes, or trained in a warm-up."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import protosphere as ps
from protosphere.assignment import similarity_from_embeddings, similarity_from_table
from protosphere.data import load_dataset
from protosphere.errors import InvalidArgumentError, StorageError
from protosphere.experiments import load_config, load_model
from protosphere.experiments.batches import device_data
from protosphere.experiments.class_similarity import (
    class_similarity,
    logit_correlations,
    measured_class_means,
)
from protosphere.experiments.code_metrics import code_metrics
from protosphere.experiments.devices import make_fabric
from protosphere.experiments.prototype_fitting import PROTOTYPES_FILE, MovingPrototypes
from protosphere.experiments.run import constructed, run
from protosphere.nn import PrototypeHead


def pair_sum(code, similarity):
    return float((code.points @ code.points.T * similarity).sum())


@pytest.mark.parametrize("scheme", ["cross_polytope", "semantic"])
def test_similar_classes_get_near_prototypes_and_keep_them(features, tmp_path, scheme):
    config = load_config("quick-features").changed(
        dataset=features,
        scheme=scheme,
        dim=3,
        epochs=1,
        batch_size=60,
        backbone="linear",
        threads=1,
        mapping="align",
    )
    dataset = load_dataset(features)
    fabric = make_fabric("cpu", config.precision)
    similarity = similarity_from_embeddings(
        measured_class_means(config, dataset, tmp_path, fabric)
    )
    codes = {}
    for mapping in ("align", "oppose"):
        folder = tmp_path / mapping
        first = run(
            config.changed(mapping=mapping), dataset, folder, fabric, tensorboard=False
        )
        assert first.status == "done"
        codes[mapping] = ps.load(folder / PROTOTYPES_FILE)
    plain = ps.construct("cross_polytope", num_classes=6, dim=3)
    assert pair_sum(codes["align"], similarity) > pair_sum(plain, similarity) - 1e-9
    assert (
        pair_sum(codes["align"], similarity)
        > pair_sum(codes["oppose"], similarity) + 0.1
    )
    assert not (tmp_path / "align" / "warm-up").exists()
    agreement = {
        mapping: code_metrics(code, dataset)["code_agreement"]
        for mapping, code in codes.items()
    }
    assert agreement["align"] > agreement["oppose"] + 0.1
    assert first.metrics["code_agreement"] == pytest.approx(agreement["oppose"])


@pytest.mark.parametrize(
    ("scheme", "least"),
    [("semantic", 0.95), ("hierarchical", 0.5), ("cross_polytope", 0.2)],
)
def test_prototypes_take_after_what_a_bottleneck_learns(
    features, tmp_path, scheme, least
):
    tree = {str(number): f"pair {number // 2}" for number in range(6)}
    config = load_config("quick-features").changed(
        dataset=features, scheme=scheme, dim=3, epochs=4, batch_size=60, backbone="linear", threads=1, lr=0.1,
        scheme_options={"tree": ps.taxonomy(tree).text} if scheme == "hierarchical" else {},
    ).changed(mapping="align", similarity="learned")  # fmt: skip
    dataset = load_dataset(features)
    fabric = make_fabric("cpu", config.precision)
    learned = class_similarity(config, dataset, tmp_path, fabric)
    values = np.linalg.eigvalsh(learned)
    assert np.abs(values[:3]).max() < 1e-12
    np.testing.assert_allclose(learned.diagonal(), 1)
    assert run(config, dataset, tmp_path, fabric, tensorboard=False).status == "done"
    code = ps.load(tmp_path / PROTOTYPES_FILE)
    cosines = (code.points @ code.points.T)[np.triu_indices(6, 1)]
    assert np.corrcoef(cosines, learned[np.triu_indices(6, 1)])[0, 1] > least
    assert not (tmp_path / "warm-up").exists()


def test_images_are_seen_by_the_network_after_an_epoch(tmp_path):
    config = load_config("quick-digits").changed(
        scheme="cross_polytope",
        dim=5,
        epochs=1,
        mapping="align",
        train_images=200,
        threads=1,
    )
    dataset = load_dataset("digits")
    fabric = make_fabric("cpu", config.precision)
    records = [
        run(config, dataset, tmp_path / name, fabric, tensorboard=False)
        for name in ("a", "b")
    ]
    assert records[0].weights == records[1].weights
    assert (
        ps.load(tmp_path / "a" / PROTOTYPES_FILE)
        .explain()
        .startswith("Assigned to align")
    )


def test_similarity_comes_from_a_table_of_vectors_by_name(features, tmp_path):
    names = [str(number) for number in range(6)]
    vectors = np.random.default_rng(1).standard_normal((6, 4))
    lines = [
        f"{name},word,{','.join(map(repr, row.tolist()))}"
        for name, row in zip(names, vectors, strict=True)
    ]
    table = tmp_path / "words.csv"
    table.write_text("\n".join(["class,kind,a,b,c,d", *reversed(lines)]))
    config = load_config("quick-features").changed(
        dataset=features,
        scheme="cross_polytope",
        dim=3,
        mapping="align",
        similarity=str(table),
    )
    found = class_similarity(
        config, load_dataset(features), tmp_path, make_fabric("cpu", config.precision)
    )
    assert np.allclose(found, similarity_from_embeddings(vectors))
    table.write_text("class,a\n0,1\n")
    with pytest.raises(InvalidArgumentError, match="no line for the class '1'"):
        similarity_from_table(table, names)
    table.write_text("\n".join(["class,kind", *(f"{name},word" for name in names)]))
    with pytest.raises(InvalidArgumentError, match="no column of numbers"):
        similarity_from_table(table, names)
    table.write_text(
        "\n".join(["class,a,b", "0,nan,1", *(f"{name},1,{name}" for name in names[1:])])
    )
    with pytest.raises(
        InvalidArgumentError, match="must be finite, got NaN or infinity in row 0"
    ):
        similarity_from_table(table, names)
    table.write_text(
        "\n".join(["class,a,b", "3,0,1", *(f"{name},1,{name}" for name in names)])
    )
    with pytest.raises(InvalidArgumentError, match="two lines for the class '3'"):
        similarity_from_table(table, names)
    with pytest.raises(StorageError, match="cannot read"):
        similarity_from_table(tmp_path / "none.csv", names)


def test_label_noise_gives_its_share_of_the_training_examples_another_class():
    dataset = load_dataset("digits")
    clean, noisy = (
        device_data(
            dataset,
            load_config("quick-digits").changed(label_noise=share),
            torch.device("cpu"),
        )
        for share in (0.0, 0.2)
    )
    differ = clean.train.labels != noisy.train.labels
    assert int(differ.sum()) == round(0.2 * len(differ))
    shifts = torch.bincount(
        (noisy.train.labels - clean.train.labels)[differ] % 10, minlength=10
    )[1:]
    assert int(shifts.min()) > 0.5 * float(differ.sum()) / 9
    assert torch.equal(clean.validation.labels, noisy.validation.labels)
    assert torch.equal(clean.train.inputs, noisy.train.inputs)


def test_alike_classes_have_correlated_logits(features, tmp_path):
    config = load_config("quick-features").changed(
        dataset=features, dim=6, batch_size=6, lr=0.1, threads=1
    )
    dataset = load_dataset(features)
    fabric = make_fabric("cpu", config.precision)
    found = logit_correlations(config, dataset, tmp_path, fabric)
    assert np.allclose(np.diag(found), 1)
    assert np.allclose(found, found.T)
    pairs = [found[first, first + 1] for first in (0, 2, 4)]
    others = found[np.triu_indices(6, 1)]
    assert min(pairs) > np.sort(others)[-4]


def test_prototype_warmup_trains_prototypes_that_are_fixed_afterwards(
    features, tmp_path
):
    config = load_config("quick-features").changed(
        dataset=features,
        scheme="cross_polytope",
        dim=3,
        epochs=2,
        batch_size=60,
        threads=1,
        prototype_warmup_epochs=2,
        lr=0.2,
    )
    dataset = load_dataset(features)
    fabric = make_fabric("cpu", config.precision)
    first, again = (
        run(config, dataset, tmp_path / name, fabric, tensorboard=False)
        for name in ("a", "b")
    )
    assert first.weights == again.weights
    kept = ps.load(tmp_path / "a" / PROTOTYPES_FILE)
    start = ps.construct("cross_polytope", num_classes=6, dim=3)
    assert np.abs(kept.points - start.points).max() > 0.05
    similarity = similarity_from_embeddings(
        measured_class_means(config, dataset, tmp_path, fabric)
    )
    assert pair_sum(kept, similarity) > pair_sum(start, similarity)
    model = load_model(tmp_path / "a")
    assert torch.allclose(
        model.head.prototypes(),
        torch.tensor(kept.points, dtype=torch.float32),
        atol=1e-6,
    )
    assert not (tmp_path / "a" / "prototype-warm-up").exists()


def test_moving_prototypes_begin_as_the_head_does():
    code = ps.construct("cross_polytope", num_classes=6, dim=3)
    z = torch.randn(5, 3, generator=torch.Generator().manual_seed(0))
    assert torch.allclose(
        MovingPrototypes(PrototypeHead(code, preset="soft_cap"))(z),
        PrototypeHead(code, preset="soft_cap")(z),
        atol=1e-5,
    )


def test_a_tree_comes_in_the_order_of_the_data(features):
    """Classes 0 and 5 are siblings, and so are the rest; the tree names them in another order."""
    tree = ps.taxonomy(
        {
            str(number): "outer" if number in (0, 5) else "inner"
            for number in (3, 0, 4, 1, 5, 2)
        }
    )
    config = load_config("quick-features").changed(
        dataset=features,
        scheme="hierarchical",
        dim=5,
        scheme_options={"tree": tree.text},
    )
    code = constructed(config, 6, load_dataset(features).class_names)
    cosines = code.points @ code.points.T
    assert cosines[0, 5] > cosines[0, 1:5].max() + 0.2
    with pytest.raises(InvalidArgumentError, match="the tree has no class '7'"):
        constructed(config, 6, ("0", "1", "2", "3", "4", "7"))


def prototypes_config(features, **settings):
    return load_config("quick-features").changed(
        dataset=features,
        dim=4,
        epochs=2,
        batch_size=60,
        backbone="linear",
        threads=1,
        scheme="best",
        **settings,
    )


def test_class_means_of_the_inputs_become_the_prototypes(features, tmp_path):
    config = prototypes_config(features, prototypes="class_means")
    dataset = load_dataset(features)
    fabric = make_fabric("cpu", config.precision)
    finished = run(config, dataset, tmp_path, fabric, tensorboard=False)
    assert finished.status == "done"
    data = device_data(dataset, config, fabric.device)
    inputs, labels = data.normalized(data.train.inputs).double(), data.train.labels
    means = np.stack([inputs[labels == k].mean(0).flatten().numpy() for k in range(6)])
    expected = ps.from_embeddings(means, 4)
    kept = ps.load(tmp_path / PROTOTYPES_FILE)
    assert np.allclose(kept.points @ kept.points.T, expected.points @ expected.points.T)


def test_learned_rows_become_prototypes_that_are_fixed_afterwards(features, tmp_path):
    config = prototypes_config(features, prototypes="learned", lr=0.2)
    dataset = load_dataset(features)
    fabric = make_fabric("cpu", config.precision)
    first, again = (
        run(config, dataset, tmp_path / name, fabric, tensorboard=False)
        for name in ("a", "b")
    )
    assert first.weights == again.weights
    kept = ps.load(tmp_path / "a" / PROTOTYPES_FILE)
    head = load_model(tmp_path / "a").head
    points = torch.tensor(kept.points, dtype=torch.float32)
    assert torch.allclose(head.prototypes(), points, atol=1e-6)
    assert not (tmp_path / "a" / "warm-up").exists()


@pytest.mark.parametrize(
    "setting", [{"scheme": "simplex"}, {"mapping": "random"}, {"mapping": "align"}]
)
def test_prototypes_from_examples_take_no_scheme_or_mapping(setting):
    with pytest.raises(InvalidArgumentError, match=next(iter(setting))):
        load_config("quick-digits").changed(
            **({"scheme": "best", "prototypes": "class_means"} | setting)
        )


def test_digits_are_learned_with_class_means_as_prototypes(tmp_path):
    config = load_config("quick-digits").changed(
        scheme="best", prototypes="class_means", dim=9, epochs=2, threads=1
    )
    dataset = load_dataset("digits")
    fabric = make_fabric("cpu", config.precision)
    finished = run(config, dataset, tmp_path, fabric, tensorboard=False)
    assert finished.test_accuracy > 0.6
