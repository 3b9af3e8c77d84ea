"""The head: ordinary logits in any loop; streaming loss, decoding and scores; one sentence for misuse."""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest
import torch
from torch.nn import functional

import protosphere as ps
from protosphere.errors import InvalidArgumentError
from protosphere.nn import PRESETS, PrototypeHead, presets
from protosphere.nn.presets import FEW_CLASSES

CODE = ps.construct("simplex", num_classes=10, dim=12)


def z_and_classes(batch=16, dim=12, num_classes=10, dtype=torch.float32):
    draw = torch.Generator().manual_seed(0)
    z = torch.randn(batch, dim, generator=draw, dtype=torch.float64).to(dtype)
    return z, torch.randint(num_classes, (batch,), generator=draw)


def naive_logits(z, preset, code=CODE):
    """Each preset's formula, written out."""
    c = torch.tensor(code.points)
    z = z.double()
    if preset == "lindstrom":
        return z @ c.T
    if preset == "kasarla":
        return z @ (0.1 * c).T
    cosines = torch.cosine_similarity(z[:, None], c[None], dim=2)
    if preset == "mettes":
        return cosines
    scale = math.log(99 * (code.num_classes - 1)) / (1 - float(code.max_cosine))
    length = z.norm(dim=1, keepdim=True)
    if preset == "soft_cap":
        return 2 * cosines * length / (1 + length / scale)
    return scale * cosines * length / (1 + length)


def test_the_default_preset_goes_by_the_number_of_classes_there_may_ever_be():
    few = FEW_CLASSES
    many = FEW_CLASSES + 1
    assert PrototypeHead(few, dim=40).preset.name == "protosphere"
    assert PrototypeHead(many, dim=40).preset.name == "soft_cap"
    assert (
        PrototypeHead(ps.construct("simplex", num_classes=many, dim=many)).preset.name
        == "soft_cap"
    )
    assert PrototypeHead(2, dim=40, reserve=many).preset.name == "soft_cap"
    assert PrototypeHead(few, dim=40, preset="soft_cap").preset.name == "soft_cap"


def test_a_state_brings_its_preset_whatever_the_default_is_now(monkeypatch):
    state = PrototypeHead(10, dim=9).state_dict()
    monkeypatch.setattr(presets, "FEW_CLASSES", 5)
    fresh = PrototypeHead(10, dim=9)
    assert fresh.preset.name == "soft_cap"
    fresh.load_state_dict(state)
    for head in (fresh, PrototypeHead.from_state_dict(state)):
        assert head.preset.name == "protosphere"


def test_a_soft_cap_is_steep_at_zero_whatever_the_scale_and_nowhere_above_it():
    direction = torch.tensor(CODE.points[:1])
    for scale in (1.0, 30.0):
        head = PrototypeHead(CODE, preset="soft_cap", scale=scale).double()
        assert float(head(1e-6 * direction)[0, 0]) == pytest.approx(2e-6, rel=1e-4)
        assert float(head(1e9 * direction)[0, 0]) == pytest.approx(scale, rel=1e-6)


@pytest.mark.parametrize("preset", PRESETS)
def test_logits_are_the_presets_formula(preset):
    z, _ = z_and_classes()
    head = PrototypeHead(CODE, preset=preset)
    torch.testing.assert_close(
        head(z).double(), naive_logits(z, preset), atol=1e-5, rtol=1e-5
    )


@pytest.mark.parametrize("preset", ["soft_cap", "protosphere", "lindstrom", "kasarla"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"label_smoothing": 0.1},
        {"weight": torch.arange(1.0, 11)},
        {"reduction": "sum"},
    ],
)
def test_loss_is_cross_entropy_of_the_logits(preset, options):
    head = PrototypeHead(CODE, preset=preset)
    z, classes = z_and_classes()
    z.requires_grad_()
    streamed = head.loss(z, classes, **options)
    plain = functional.cross_entropy(head(z), classes, **options)
    torch.testing.assert_close(streamed, plain)
    torch.testing.assert_close(
        *(torch.autograd.grad(loss, z)[0] for loss in (streamed, plain))
    )


def test_mettes_loss_pulls_alone():
    head = PrototypeHead(CODE, preset="mettes")
    z, classes = z_and_classes()
    own = naive_logits(z, "mettes")[torch.arange(16), classes]
    torch.testing.assert_close(
        head.loss(z, classes).double(), ((1 - own) ** 2).mean(), atol=1e-6, rtol=1e-5
    )
    with pytest.raises(InvalidArgumentError, match="preset='soft_cap' takes them"):
        head.loss(z, classes, label_smoothing=0.1)


@pytest.mark.parametrize("preset", PRESETS)
def test_targets_that_are_no_classes_are_refused(preset):
    z, classes = z_and_classes()
    with pytest.raises(
        InvalidArgumentError, match=r"'target' must lie in 0, ..., 9, got"
    ):
        PrototypeHead(CODE, preset=preset).loss(z, classes + 5)


def test_a_model_with_a_head_can_be_sent_to_another_process(tmp_path):
    head = PrototypeHead(10, dim=16, reserve=100)
    torch.save(head, tmp_path / "head.pt")
    z, _ = z_and_classes(dim=16)
    assert torch.equal(torch.load(tmp_path / "head.pt", weights_only=False)(z), head(z))


def test_decode_gives_the_nearest_prototypes():
    head = PrototypeHead(CODE)
    z, _ = z_and_classes()
    cosines, classes = head.decode(z, k=3)
    expected = naive_logits(z, "mettes").topk(3)
    torch.testing.assert_close(cosines.double(), expected.values, atol=1e-6, rtol=1e-5)
    assert torch.equal(classes, expected.indices)
    assert torch.equal(
        head.decode(torch.tensor(CODE.points)).classes[:, 0], torch.arange(10)
    )


def test_a_perfect_z_gets_the_probability_that_the_scale_promises():
    head = PrototypeHead(CODE)
    far = 1e6 * head.prototypes()
    assert torch.softmax(head(far), dim=1).diagonal().min() >= 0.99 - 1e-4


def test_there_is_nothing_to_learn_unless_asked():
    assert list(PrototypeHead(CODE).parameters()) == []
    head = PrototypeHead(CODE, scale="learn")
    z, classes = z_and_classes()
    torch.testing.assert_close(head(z), PrototypeHead(CODE)(z))
    solver = torch.optim.SGD(head.parameters(), lr=100)
    for _ in range(5):
        solver.zero_grad()
        functional.cross_entropy(head(z), classes).backward()
        solver.step()
    automatic = PrototypeHead(CODE).scaling.value
    assert automatic / 4 <= head.scaling.value.item() < automatic, (
        "it moves, and stays within its bounds"
    )


def test_a_scale_given_is_used():
    z, _ = z_and_classes()
    torch.testing.assert_close(
        PrototypeHead(CODE, preset="kasarla", scale=2.0)(z),
        2 * PrototypeHead(CODE, preset="lindstrom")(z),
    )


def test_dimensions_before_the_last_pass_through():
    head = PrototypeHead(CODE)
    z, _ = z_and_classes(24)
    assert torch.equal(head(z.reshape(2, 3, 4, 12)), head(z).reshape(2, 3, 4, 10))
    assert torch.equal(head(z[0]), head(z[:1])[0])
    assert head(torch.zeros(0, 12)).shape == (0, 10)


@pytest.mark.parametrize("preset", PRESETS)
def test_zero_and_huge_z_have_finite_logits_and_gradients(preset):
    head = PrototypeHead(CODE, preset=preset)
    z = torch.stack(
        [torch.zeros(12), torch.full((12,), 1e4), torch.full((12,), 1e-6)]
    ).requires_grad_()
    head.loss(z, torch.arange(3)).backward()
    assert torch.isfinite(head(z)).all()
    assert torch.isfinite(z.grad).all()


def test_gradients_are_right_in_double():
    head = PrototypeHead(CODE, scale="learn").double()
    z, classes = z_and_classes(4, dtype=torch.float64)
    z.requires_grad_()
    assert torch.autograd.gradcheck(lambda z: head.loss(z, classes), z)
    assert torch.autograd.gradcheck(head, z)


def test_a_copy_shares_the_code_and_nothing_else():
    head = PrototypeHead(CODE, scale="learn")
    other = copy.deepcopy(head)
    z, _ = z_and_classes()
    assert torch.equal(head(z), other(z))
    assert other.code is head.code
    assert other.scaling.shift is not head.scaling.shift


def test_two_classes_need_one_dimension():
    head = PrototypeHead(2)
    assert head.prototypes().flatten().tolist() in ([1, -1], [-1, 1])
    assert head(torch.tensor([[3.0]])).shape == (1, 2)


def test_prototypes_that_coincide_have_no_scale():
    twice = ps.from_points(torch.eye(3).double()[[0, 1, 1]].numpy())
    with pytest.raises(
        InvalidArgumentError,
        match=r"'max_cosine' must be below 1, got 1.0: two prototypes coincide",
    ):
        PrototypeHead(twice)
    assert PrototypeHead(twice, preset="lindstrom")(torch.zeros(1, 3)).shape == (1, 3)


def test_without_dim_the_simplex_fits():
    assert PrototypeHead(7).dim == 6
    assert PrototypeHead(7).certificate.optimal


@pytest.mark.parametrize(
    ("arguments", "options", "sentence"),
    [
        ((1,), {}, "'num_classes' must be an integer of at least 2, got 1"),
        (
            (10,),
            {"preset": "cosface"},
            "'preset' must be one of soft_cap, protosphere, lindstrom, kasarla, mettes",
        ),
        (
            (10,),
            {"scale": "big"},
            "'scale' must be 'auto', 'learn' or a number above 0, got 'big'",
        ),
        (
            (10,),
            {"scale": 10**400},
            "'scale' must be 'auto', 'learn' or a number above 0, got about 2",
        ),
        (
            (10,),
            {"scale": -1.0},
            "'scale' must be 'auto', 'learn' or a number above 0, got -1.0",
        ),
        ((10,), {"reserve": 5}, "'reserve' must be an integer of at least 10, got 5"),
        (
            (CODE,),
            {"dim": 4},
            "'dim' and 'reserve' go with a number of classes, got a code",
        ),
        (
            (5,),
            {"reserve": CODE, "dim": 4},
            "'dim' must be the reserve's, 12, or left out, got 4",
        ),
    ],
)
def test_misuse_is_one_sentence(arguments, options, sentence):
    with pytest.raises(InvalidArgumentError) as refused:
        PrototypeHead(*arguments, **options)
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "z", [torch.zeros(2, 11), torch.zeros(2, 12, dtype=torch.int64)]
)
def test_a_wrong_z_is_one_sentence(z):
    with pytest.raises(InvalidArgumentError, match="'z' must be of"):
        PrototypeHead(CODE)(z)


def test_the_best_of_a_head_is_the_best_that_is_known():
    head = PrototypeHead(200, dim=50)
    assert float(head.certificate.max_cosine) < 0.056
    assert float(PrototypeHead(60, dim=20).certificate.max_cosine) < 1 / 9 - 1e-3, (
        "the catalogue knows better"
    )


def test_options_go_to_the_scheme():
    assert PrototypeHead(
        50, dim=40, scheme="bch", options={"modify": True}
    ).code.provenance.options["modify"]
    with pytest.raises(InvalidArgumentError, match="'bch' has no option 'modfy'"):
        PrototypeHead(50, dim=40, scheme="bch", options={"modfy": True})


@pytest.mark.parametrize("z", [np.zeros((2, 9), np.float32), [[0.0] * 9]])
def test_vectors_that_are_no_tensor_are_one_sentence(z):
    head = PrototypeHead(10, dim=9)
    for method in (head, head.decode, head.score, head.embed):
        with pytest.raises(InvalidArgumentError, match="'z' must be a tensor"):
            method(z)


@pytest.mark.parametrize("points", [np.eye(10), [[1.0, 0.0], [0.0, 1.0]]])
def test_points_in_place_of_a_code_are_pointed_to_from_points(points):
    with pytest.raises(InvalidArgumentError, match=r"ps\.from_points"):
        PrototypeHead(points)
    with pytest.raises(InvalidArgumentError, match=r"ps\.from_points"):
        PrototypeHead(2, reserve=points)


def test_a_path_is_no_state_dict():
    with pytest.raises(InvalidArgumentError, match=r"got 'x\.pt'; torch\.load"):
        PrototypeHead.from_state_dict("x.pt")  # pyright: ignore[reportArgumentType]
