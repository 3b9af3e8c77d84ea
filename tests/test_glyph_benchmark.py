"""The benchmark on rendered characters: drawing, splitting, training and continuing."""

from __future__ import annotations

import shutil
from pathlib import Path

import matplotlib
import numpy as np
import pytest
import torch
from benchmarks.glyphs import (
    layers,
    problem,
    prototypes,
    render,
    report,
    training,
)
from benchmarks.glyphs.fonts import family_of, find_faces
from benchmarks.glyphs.streamed import linear_cross_entropy
from benchmarks.glyphs.sweep import COLUMNS, Job, Table, milestones_missing
from benchmarks.glyphs.training import Run, accuracies, as_input
from torch.nn.functional import cross_entropy

import protosphere as ps

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
FILES = (
    "DejaVuSans",
    "DejaVuSans-Oblique",
    "DejaVuSans-BoldOblique",
    "DejaVuSerif",
    "DejaVuSerif-Bold",
    "STIXGeneral",
    "STIXGeneralBol",
    "cmr10",
    "cmss10",
    "cmtt10",
)


@pytest.fixture(scope="module")
def fonts(tmp_path_factory):
    """A folder with some of the fonts that come with matplotlib."""
    folder = tmp_path_factory.mktemp("fonts")
    for name in FILES:
        source = Path(matplotlib.get_data_path()) / "fonts" / "ttf" / f"{name}.ttf"
        shutil.copy(source, folder)
    return folder


@pytest.fixture(scope="module")
def glyphs(fonts):
    """The capital letters in these fonts."""
    faces, _ = find_faces([fonts], LETTERS)
    drawn, _ = render.render(faces, LETTERS)
    return drawn


def small_problem(glyphs):
    return problem.make_problem(glyphs, test_faces=4, subset=60)


def test_faces_that_lack_characters_are_skipped_with_their_number(fonts):
    faces, skipped = find_faces([fonts], "AB\u3042\u3044", leave_out="")
    assert faces == []
    assert {one.reason for one in skipped} >= {"lacks 2 characters"}


def test_faces_are_left_out_by_name(fonts):
    every, _ = find_faces([fonts], LETTERS)
    some, skipped = find_faces([fonts], LETTERS, leave_out="Oblique")
    left_out = {face.name for face in every} - {face.name for face in some}
    assert left_out == {one.name for one in skipped if "left out" in one.reason}
    assert left_out
    assert all("Oblique" in name for name in left_out)


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("Nanum Gothic Extra-Bold", "NanumGothic"),
        ("NotoSerifCJK ExtraLight", "NotoSerifCJK"),
        ("NanumSquare_ac", "NanumSquareac"),
        ("Bold", "Bold"),
    ],
)
def test_a_family_is_a_name_without_its_weight(name, family):
    assert family_of(name) == family


def test_each_letter_is_drawn_once_in_the_middle_of_its_image(glyphs):
    assert glyphs.images.shape == (len(glyphs.faces), len(LETTERS), 28, 28)
    ink = glyphs.images > 0
    rows = ink.any(axis=3)
    above = rows.argmax(axis=2)
    below = rows[:, :, ::-1].argmax(axis=2)
    assert np.abs(above - below).max() <= 1
    assert ink.any(axis=(2, 3)).all()


def test_a_face_that_draws_nothing_or_one_glyph_for_all_has_a_defect():
    distinct = np.arange(50 * 784, dtype=np.uint32).astype(np.uint8)
    distinct = (
        distinct.reshape(50, 28, 28) + np.arange(50, dtype=np.uint8)[:, None, None]
    )
    assert render.defect(distinct) is None
    empty = distinct.copy()
    empty[7] = 0
    assert "1 characters as empty" in str(render.defect(empty))
    assert "as 1 images" in str(render.defect(np.ones_like(distinct)))


def test_glyphs_survive_their_file(glyphs, tmp_path):
    render.save(glyphs, tmp_path / "letters.npz")
    loaded = render.load(tmp_path / "letters.npz")
    assert (loaded.images == glyphs.images).all()
    assert loaded.characters == glyphs.characters
    assert loaded.faces == glyphs.faces
    assert loaded.families == glyphs.families


@pytest.mark.parametrize("seed", range(20))
def test_no_family_is_divided_by_the_split(seed):
    rng = np.random.default_rng(seed)
    stems = ["Aa", "AaPen", "Bb", "BbCoding", "Cc", "Brush", "Dd", "Pilgi", "Ee"]
    families = list(rng.choice(stems, 40))
    held_out = problem.hold_out(families, 9, seed)
    rest = [families[index] for index in range(40) if index not in held_out]
    for index in held_out:
        family = families[index]
        assert not any(family.startswith(one) or one.startswith(family) for one in rest)
    assert len(held_out) <= 9


def test_ks_x_1001_has_2350_syllables():
    seen = problem.in_ks_x_1001(problem.HANGUL)
    assert seen.sum() == 2350
    assert seen[0]  # the syllable ga
    assert not seen[3]  # gags


def test_parts_of_classes_are_their_digits():
    classes = torch.arange(19 * 21 * 28)
    digits = problem.mixed_radix(classes, (19, 21, 28))
    again = (digits[:, 0] * 21 + digits[:, 1]) * 28 + digits[:, 2]
    assert (again == classes).all()
    assert digits.amax(dim=0).tolist() == [18, 20, 27]


def test_class_means_are_means_of_the_training_images(glyphs):
    small = small_problem(glyphs)
    means = problem.class_means(small)
    for label in (0, 7, 25):
        images = small.images[small.labels == label].double() / 255
        assert torch.allclose(means[label].double(), images.mean(dim=0), atol=1e-6)


def test_unseen_classes_have_no_training_images(glyphs):
    seen = torch.arange(26) < 10
    some = problem.only_seen(small_problem(glyphs), seen)
    assert some.labels.unique().tolist() == list(range(10))
    assert len(some.images) == len(some.labels)
    found = accuracies(some.test_labels < 10, some)
    assert (found["seen_accuracy"], found["unseen_accuracy"]) == (100, 0)


@pytest.mark.parametrize("size", [2, 5, 28])
def test_simplex_has_equal_angles(size):
    points = prototypes.simplex(size).double()
    expected = torch.full((size, size), -1 / (size - 1), dtype=torch.float64)
    expected.fill_diagonal_(1)
    assert torch.allclose(points @ points.T, expected, atol=1e-6)


def logits_of_all_combinations(parts, z):
    rows = [torch.cat([a, b]) / 2**0.5 for a in parts[0] for b in parts[1]]
    return z @ torch.stack(rows).T


def test_loss_and_decision_by_parts_are_those_of_all_combinations():
    torch.manual_seed(0)
    parts = [prototypes.simplex(4), prototypes.simplex(6)]
    layer = layers.FixedParts(parts, scale=5.0)
    z = torch.randn(40, 3 + 5)
    labels = torch.randint(24, (40,))
    logits = 5 * logits_of_all_combinations(parts, torch.nn.functional.normalize(z))
    assert torch.allclose(layer.loss(z, labels), cross_entropy(logits, labels))
    assert (layer.predict(z) == logits.argmax(dim=1)).all()


@pytest.mark.parametrize("has_bias", [False, True])
def test_streamed_cross_entropy_has_the_value_and_gradients_of_the_dense_one(has_bias):
    torch.manual_seed(0)
    z = torch.randn(150, 7, requires_grad=True)
    weight = torch.randn(30, 7, requires_grad=True)
    bias = torch.randn(30, requires_grad=True) if has_bias else None
    labels = torch.randint(30, (150,))
    wanted = [z, weight, *([bias] if has_bias else [])]
    streamed = linear_cross_entropy(z, weight, labels, bias, torch.float32)
    dense = cross_entropy(torch.nn.functional.linear(z, weight, bias), labels)
    assert torch.allclose(streamed, dense, atol=1e-6)
    for ours, theirs in zip(
        torch.autograd.grad(3 * streamed, wanted),
        torch.autograd.grad(3 * dense, wanted),
        strict=True,
    ):
        assert torch.allclose(ours, theirs, atol=1e-6)


def test_sampling_all_classes_is_the_full_softmax():
    torch.manual_seed(0)
    z, labels = torch.randn(50, 8), torch.randint(20, (50,))
    sampled = layers.SampledSoftmax(8, 20, share=1.0)
    full = cross_entropy(sampled.layer(z), labels)
    assert torch.allclose(sampled.loss(z, labels), full, atol=1e-5)
    partial = layers.PartialFC(8, 20, share=1.0)
    dense = layers.Cosine.loss(partial, z, labels)
    assert torch.allclose(partial.loss(z, labels), dense, atol=2e-2)


def letters_run(glyphs, seed=0):
    small = small_problem(glyphs)
    torch.manual_seed(seed)
    points = prototypes.whitened_means(problem.class_means(small), 16)
    return Run(small, layers.Fixed(points, 16.0), 16, seed)


def test_a_continued_run_ends_with_the_weights_of_an_uninterrupted_one(
    glyphs, tmp_path, monkeypatch
):
    monkeypatch.setattr(training, "BATCH", 30)  # several batches an epoch
    straight = letters_run(glyphs)
    straight.train_until(6)
    first = letters_run(glyphs)
    first.train_until(3)
    first.save(tmp_path / "run.pt")
    second = letters_run(glyphs, seed=0)
    second.load(tmp_path / "run.pt")
    second.train_until(6)
    for ours, theirs in zip(
        second.body.parameters(), straight.body.parameters(), strict=True
    ):
        assert torch.equal(ours, theirs)


def test_training_lowers_the_loss(glyphs):
    run = letters_run(glyphs)
    images = as_input(run.problem.images)

    def loss():
        with torch.no_grad():
            return run.layer.loss(run.body(images), run.problem.labels)

    before = loss()
    run.train_until(40)
    assert loss() < 0.8 * before


def test_composed_prototypes_are_the_simplices_side_by_side():
    sizes = (3, 4, 5)
    ours = ps.compose(sizes=sizes).points
    parts = [prototypes.simplex(size) for size in sizes]
    classes = problem.mixed_radix(torch.arange(60), sizes)
    rows = torch.cat([part[classes[:, i]] for i, part in enumerate(parts)], dim=1)
    theirs = rows.double().numpy() / 3**0.5
    assert np.allclose(ours @ ours.T, theirs @ theirs.T, atol=1e-6)


def test_prototypes_of_from_embeddings_are_the_whitened_means():
    means = torch.randn(40, 12, generator=torch.Generator().manual_seed(0))
    ours = ps.from_embeddings(means.numpy(), 8).points
    theirs = prototypes.whitened_means(means, 8).double().numpy()
    assert np.allclose(ours @ ours.T, theirs @ theirs.T, atol=1e-5)


def run_row(method, seed, accuracy):
    row = dict.fromkeys(report.KINDS, "")
    row |= {"characters": "hangul", "method": method, "steps": "1500"}
    return row | {"seed": str(seed), "accuracy": str(accuracy)}


def test_the_summary_pairs_seeds_with_those_of_the_learned_layer():
    runs = [run_row("learned", seed, 50 + 10 * seed) for seed in range(3)]
    runs += [run_row("means", seed, 53 + 11 * seed) for seed in range(3)]
    runs += [run_row("means", 7, 99)]
    means, learned = report.summary(runs)
    assert (learned.method, learned.accuracy, learned.difference) == (
        "learned",
        "60.00",
        "",
    )
    assert (means.seeds, means.accuracy) == (4, "72.75")
    # differences 3, 4 and 5; half interval 4.303 / sqrt 3
    assert (means.difference, means.difference_half_interval) == ("4.00", "2.48")


def test_a_stopped_sweep_measures_only_what_is_missing(tmp_path):
    table = Table(tmp_path / "runs.csv")
    job = Job("means", 0, 1500)
    assert milestones_missing(table, "hangul", job) == [375, 750, 1500]
    row = dict.fromkeys(COLUMNS, "")
    done = {"characters": "hangul", "method": "means", "seed": 0, "steps": 375}
    table.append(row | done)
    table.append(row | done | {"seed": 1, "steps": 750})
    assert milestones_missing(table, "hangul", job) == [750, 1500]
    assert milestones_missing(table, "han", job) == [375, 750, 1500]
