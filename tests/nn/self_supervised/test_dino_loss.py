"""Self-distillation against a dense float64 reference: loss, gradients, center, and both centerings."""

from __future__ import annotations

import copy

import pytest
import torch
from tests.nn.self_supervised.dense_losses import (
    KINDS,
    dense_dino,
    dense_sinkhorn,
    draws,
    leaves,
)
from torch.nn.functional import normalize

import protosphere as ps
from protosphere.errors import InvalidArgumentError
from protosphere.nn import DINOHead, DINOLoss, LearnedPrototypes
from protosphere.nn.projections import projection_for


def code_of_50():
    return ps.best(num_classes=50, dim=8, iterations=0)


def teacher_cosines(views, matrix):
    return [normalize(view) @ normalize(matrix.detach()).T for view in views]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("num_student", "num_teacher"), [(2, 2), (5, 2), (2, 1)])
def test_loss_gradients_and_center_equal_the_dense_ones(kind, num_student, num_teacher):
    prototypes, matrix = KINDS[kind]()
    loss = DINOLoss(
        prototypes, student_temp=0.2, teacher_temp=0.1, center_momentum=0.6
    ).double()
    dense_center = torch.zeros(len(matrix), dtype=torch.float64)
    for step in range(3):
        student = leaves(draws(num_student, prototypes.dim, seed=2 * step))
        teacher = draws(num_teacher, prototypes.dim, seed=2 * step + 1)
        cosines = teacher_cosines(teacher, matrix)
        probabilities = [((each - dense_center) / 0.1).softmax(1) for each in cosines]
        found = loss(student, teacher)
        wanted = dense_dino(student, probabilities, matrix, 0.2)
        torch.testing.assert_close(found, wanted)
        inputs = [*student, matrix] if kind == "learned" else student
        torch.testing.assert_close(
            torch.autograd.grad(found, inputs, materialize_grads=True),
            torch.autograd.grad(wanted, inputs, materialize_grads=True),
        )
        dense_center = 0.6 * dense_center + 0.4 * torch.cat(cosines).mean(0)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "learned"])
def test_centering_n_numbers_is_centering_k_logits(kind):
    """The products of the running mean embedding are the running means of the products."""
    prototypes, matrix = KINDS[kind]()
    loss = DINOLoss(prototypes).double()
    dense_center = torch.zeros(len(matrix), dtype=torch.float64)
    for step in range(4):
        views = draws(2, prototypes.dim, seed=step)
        loss(views, views)
        mean = torch.cat(teacher_cosines(views, matrix)).mean(0)
        dense_center = 0.9 * dense_center + 0.1 * mean
    assert loss.center.shape == (prototypes.dim,)
    torch.testing.assert_close(matrix @ loss.center, dense_center)


@pytest.mark.parametrize("kind", KINDS)
def test_sinkhorn_centering_equals_the_dense_one(kind):
    prototypes, matrix = KINDS[kind]()
    student = leaves(draws(3, prototypes.dim, seed=0))
    teacher = draws(2, prototypes.dim, seed=1)
    loss = DINOLoss(prototypes, teacher_temp=0.1, centering="sinkhorn").double()
    together = torch.cat(teacher_cosines(teacher, matrix))
    probabilities = dense_sinkhorn(together, 0.1, 3).chunk(2)
    found = loss(student, teacher)
    wanted = dense_dino(student, probabilities, matrix)
    torch.testing.assert_close(found, wanted)
    inputs = [*student, matrix] if kind == "learned" else student
    torch.testing.assert_close(
        torch.autograd.grad(found, inputs), torch.autograd.grad(wanted, inputs)
    )
    assert not loss.center.any()


@pytest.mark.parametrize("centering", ["center", "sinkhorn"])
def test_teacher_has_learned_prototypes_of_its_own(centering):
    student_prototypes = LearnedPrototypes(50, 8, seed=1).double()
    teacher_prototypes = LearnedPrototypes(50, 8, seed=2).double()
    student = leaves(draws(2, 8, seed=0))
    teacher = leaves(draws(2, 8, seed=1))
    loss = DINOLoss(student_prototypes, teacher_prototypes, centering=centering)
    cosines = torch.cat(teacher_cosines(teacher, teacher_prototypes.weight))
    if centering == "center":
        probabilities = (cosines / 0.04).softmax(1)
    else:
        probabilities = dense_sinkhorn(cosines, 0.04, 3)
    found = loss.double()(student, teacher)
    targets = probabilities.detach().chunk(2)
    wanted = dense_dino(student, targets, student_prototypes.weight)
    torch.testing.assert_close(found, wanted)
    found.backward()
    assert student_prototypes.weight.grad.any()
    assert teacher_prototypes.weight.grad is None
    assert all(view.grad is None for view in teacher)


@pytest.mark.parametrize("centering", ["center", "sinkhorn"])
@pytest.mark.parametrize("kind", ["dense", "learned"])
def test_a_permutation_of_prototypes_changes_nothing(kind, centering):
    _, matrix = KINDS[kind]()
    order = torch.randperm(len(matrix), generator=torch.Generator().manual_seed(5))
    results = []
    for rows in (matrix, matrix[order]):
        if kind == "learned":
            prototypes = LearnedPrototypes(len(rows), 8).double()
            prototypes.load_state_dict({"weight": rows})
        else:
            prototypes = ps.from_points(rows.numpy())
        loss = DINOLoss(prototypes, centering=centering).double()
        for step in range(2):  # the second has a center
            student = leaves(draws(3, 8, seed=step))
            found = loss(student, draws(2, 8, seed=9 + step))
        results.append((found.detach(), *torch.autograd.grad(found, student)))
    torch.testing.assert_close(*results)


def test_center_moves_in_training_mode_only():
    loss = DINOLoss(code_of_50())
    views = [view.float() for view in draws(2, 8)]
    loss.eval()
    loss(views, views)
    assert not loss.center.any()
    loss.train()
    loss(views, views)
    assert loss.center.any()


def test_temperature_of_the_teacher_may_change():
    loss = DINOLoss(code_of_50(), teacher_temp=0.04)
    views = [view.float() for view in draws(2, 8)]
    loss.eval()
    before = loss(views, views)
    loss.teacher_temp = 0.07
    other = DINOLoss(code_of_50(), teacher_temp=0.07)
    assert torch.equal(loss(views, views), other(views, views))
    assert not torch.equal(loss(views, views), before)


@pytest.mark.parametrize("learned", [True, False])
def test_state_round_trip(learned):
    def new(seed):
        return DINOLoss(
            LearnedPrototypes(50, 8, seed=seed) if learned else code_of_50()
        )

    views = [view.float() for view in draws(2, 8)]
    first = new(1)
    first(views, views)
    second = new(2)
    second.load_state_dict(copy.deepcopy(first.state_dict()))
    assert torch.equal(first.center, second.center)
    assert torch.equal(first(views, views), second(views, views))


@pytest.mark.parametrize("learned", [True, False])
@pytest.mark.parametrize("centering", ["center", "sinkhorn"])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_types_and_autocast_compute_in_float32(learned, centering, dtype):
    prototypes = LearnedPrototypes(50, 8, seed=0) if learned else code_of_50()
    loss = DINOLoss(prototypes, centering=centering)
    loss.center.uniform_(-0.1, 0.1)
    loss.eval()
    views = [view.to(dtype) for view in draws(2, 8)]
    wide = [view.float() for view in views]
    wanted = loss(wide, wide)
    assert loss(views, views).dtype == torch.float32
    assert torch.equal(loss(views, views), wanted)
    with torch.autocast("cpu", torch.bfloat16):
        assert torch.equal(loss(wide, wide), wanted)
        assert torch.equal(loss(views, views), wanted)


def test_fixed_prototypes_of_a_copied_teacher_are_accepted_and_others_refused():
    code = code_of_50()
    student = DINOHead(4, 50, hidden_dim=8, bottleneck_dim=8, prototypes=code)
    teacher = copy.deepcopy(student)
    loss = DINOLoss(student.last_layer, teacher.last_layer)
    assert loss.teacher_prototypes is None
    points = torch.tensor(code.points)
    swapped = points[[1, 0, *range(2, 50)]]
    other = ps.from_points(swapped.numpy())
    with pytest.raises(InvalidArgumentError, match="'teacher_prototypes'"):
        DINOLoss(code, other)


@pytest.mark.slow
def test_kerdock_code_of_65536_prototypes_trains_within_chunks_of_memory():
    code = ps.best(65536, 256, iterations=0)
    projection = projection_for(code)
    assert projection.kind == "hadamard"
    generator = torch.Generator().manual_seed(0)
    student, teacher = (
        [torch.randn(4, 256, generator=generator) for _ in range(2)] for _ in range(2)
    )
    student = leaves(student)
    loss = DINOLoss(projection)
    found = loss(student, teacher)
    found.backward()
    matrix = torch.tensor(code.points, dtype=torch.float64)
    references = leaves([view.detach().double() for view in student])
    cosines = teacher_cosines([view.double() for view in teacher], matrix)
    probabilities = [(each / 0.04).softmax(1) for each in cosines]
    wanted = dense_dino(references, probabilities, matrix)
    wanted.backward()
    torch.testing.assert_close(found.double(), wanted, rtol=1e-5, atol=0)
    for view, reference in zip(student, references, strict=True):
        torch.testing.assert_close(
            view.grad.double(), reference.grad, rtol=1e-3, atol=1e-6
        )
    assert loss.center.shape == (256,)


VIEW = torch.ones(3, 8)


@pytest.mark.parametrize(
    ("student", "teacher", "named"),
    [
        ([], [VIEW], "'student'"),
        ([VIEW, VIEW], [], "'teacher'"),
        ([VIEW], [VIEW], "different views"),
        ([VIEW, VIEW], [torch.ones(2, 8)] * 2, "as many rows"),
        ([VIEW, torch.ones(3, 7)], [VIEW], "'student'"),
        ([VIEW, VIEW], [VIEW.long()], "'teacher'"),
        (None, [VIEW], "'student'"),
    ],
)
def test_bad_views_are_refused_by_name(student, teacher, named):
    with pytest.raises(InvalidArgumentError, match=named):
        DINOLoss(code_of_50())(student, teacher)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"student_temp": 0}, "'student_temp'"),
        ({"teacher_temp": -0.1}, "'teacher_temp'"),
        ({"center_momentum": 1.5}, "'center_momentum'"),
        ({"center_momentum": None}, "'center_momentum'"),
        ({"centering": "mean"}, "'centering'"),
        ({"teacher_prototypes": LearnedPrototypes(50, 8)}, "both be"),
        ({"teacher_prototypes": LearnedPrototypes(50, 7)}, "50 x 8"),
        ({"teacher_prototypes": 3}, "'teacher_prototypes'"),
    ],
)
def test_bad_options_are_refused_by_name(options, named):
    with pytest.raises(InvalidArgumentError, match=named):
        DINOLoss(code_of_50(), **options)


def test_prototypes_of_another_type_are_refused():
    with pytest.raises(InvalidArgumentError, match="'prototypes'"):
        DINOLoss(torch.ones(3, 4))
