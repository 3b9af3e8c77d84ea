"""State dicts without a matrix: what is in them, which heads take them, and heads made from them."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import nn

import protosphere as ps
from protosphere.constructions.build import rebuild
from protosphere.errors import InvalidArgumentError
from protosphere.nn import PrototypeHead, checkpoint, presets
from protosphere.nn.checkpoint import saved_code, unpacked_state


def model(**options):
    return nn.Sequential(nn.Linear(4, 64), PrototypeHead(100, dim=64, **options))


def through_file(state, path):
    torch.save(state, path)
    return torch.load(path, weights_only=True)


def test_a_checkpoint_holds_the_code_and_is_small(tmp_path):
    state = through_file(model().state_dict(), tmp_path / "model.pt")
    assert set(state) == {"0.weight", "0.bias", "1._extra_state"}
    saved = unpacked_state(state["1._extra_state"])
    assert saved.header["num_classes"] == 100
    assert len(saved.header["digest"]) == 64
    assert state["1._extra_state"].numel() < 4000
    code = saved_code(saved)
    assert np.array_equal(code.points, PrototypeHead(100, dim=64).code.points)
    assert code.provenance.resolved.construction == "orthogonal_simplices"
    assert "optimal" in code.explain()


@pytest.mark.parametrize("scale", ["auto", "learn", 3.0])
def test_loading_gives_the_same_logits(tmp_path, scale):
    first = model(scale=scale)
    second = model(scale=scale)
    if scale == "learn":
        nn.init.constant_(first[1].scaling.shift, 0.3)
    second.load_state_dict(through_file(first.state_dict(), tmp_path / "model.pt"))
    z = torch.randn(3, 4)
    assert torch.equal(first(z), second(z))


def test_safetensors_take_it_too(tmp_path):
    first = model()
    second = model()
    save_file(first.state_dict(), tmp_path / "model.safetensors")
    second.load_state_dict(load_file(tmp_path / "model.safetensors"))
    assert torch.equal(first[0].weight, second[0].weight)


@pytest.mark.parametrize(
    "other",
    [
        PrototypeHead(99, dim=64),
        PrototypeHead(100, dim=128),
        PrototypeHead(100, dim=64, scheme="uniform"),
        PrototypeHead(
            ps.construct("cross_polytope", num_classes=100, dim=64, mapping="random")
        ),
    ],
    ids=lambda head: head.code.provenance.construction,
)
def test_a_head_with_another_code_refuses(other):
    head = PrototypeHead(100, dim=64)
    with pytest.raises(InvalidArgumentError) as refused:
        other.load_state_dict(head.state_dict())
    assert str(refused.value).startswith(
        "the checkpoint's prototypes are not this head's: it was trained with Spher"
    )
    assert "\n" not in str(refused.value)


def test_a_grown_head_takes_what_was_saved_before(tmp_path):
    small = PrototypeHead(10, dim=16, reserve=100)
    large = PrototypeHead(10, dim=16, reserve=100).grow(40)
    large.load_state_dict(small.state_dict())
    with pytest.raises(
        InvalidArgumentError,
        match=r"has 40 classes, this head 10: call head.grow\(40\) before loading",
    ):
        small.load_state_dict(large.state_dict())


@pytest.mark.parametrize(
    "head",
    [
        PrototypeHead(
            10, dim=16, reserve=100, scale="learn", options={"catalogue": False}
        ),
        PrototypeHead(50, dim=31, scheme="bch", preset="mettes"),
        PrototypeHead(10, dim=8, scheme="uniform", seed=3, reserve=30).grow(20),
        PrototypeHead(
            ps.construct("simplex", num_classes=10, dim=9, mapping="random", seed=5),
            scale=2.0,
        ),
    ],
    ids=lambda head: head.code.provenance.construction,
)
def test_a_head_is_made_from_a_checkpoint_alone(head, tmp_path):
    whole = nn.ModuleDict({"head": head})
    again = PrototypeHead.from_state_dict(
        through_file(whole.state_dict(), tmp_path / "h.pt"), prefix="head."
    )
    z = torch.randn(3, head.dim)
    assert torch.equal(again(z), head(z))
    assert again.reserve.num_classes == head.reserve.num_classes


def test_what_cannot_be_made_again_is_said_in_one_sentence():
    given = PrototypeHead(ps.from_points(torch.eye(4).double().numpy()))
    with pytest.raises(
        InvalidArgumentError, match="'state' has no '_extra_state': give 'prefix'"
    ):
        PrototypeHead.from_state_dict({})
    with pytest.raises(InvalidArgumentError, match="not one that protosphere wrote"):
        given.set_extra_state(torch.zeros(3, dtype=torch.uint8))

    for change in (
        {"scale_started": "1"},
        {"scale_started": float("nan")},
        {"settings": {}},
    ):
        forged = (
            checkpoint.packed_state(
                given.code, given.reserve, {"preset": "protosphere"}, 3.0
            )
            .numpy()
            .tobytes()
        )
        header = (
            json.loads(forged[16 : 16 + int.from_bytes(forged[8:16], "little")])
            | change
        )
        text = json.dumps(header).encode()
        state = torch.tensor(
            [*forged[:8], *len(text).to_bytes(8, "little"), *text], dtype=torch.uint8
        )
        with pytest.raises(
            InvalidArgumentError, match="not one that protosphere wrote"
        ):
            PrototypeHead.from_state_dict({"_extra_state": state})

    damaged = given.get_extra_state()
    damaged[-40:] = 7
    with pytest.raises(
        InvalidArgumentError, match="the checkpoint's head state is damaged"
    ):
        PrototypeHead.from_state_dict({"_extra_state": damaged})


def test_a_large_closed_form_that_is_built_differently_now_is_refused(monkeypatch):
    monkeypatch.setattr(checkpoint, "MOST_CARRIED", 10)
    code = ps.construct("simplex", num_classes=10, dim=9)
    other = ps.construct("simplex", num_classes=10, dim=9, mapping="random")
    forged = ps.SphericalCode(code.placement, code.certificate, other.provenance)
    with pytest.raises(
        InvalidArgumentError, match="differs from the one that was saved"
    ):
        PrototypeHead.from_state_dict(PrototypeHead(forged).state_dict())


LARGE = [
    ps.construct("kerdock", num_classes=200, dim=16, mapping="random"),
    ps.construct("gold", num_classes=300, dim=32),
    ps.construct("bch", num_classes=100, dim=45, modify=True, subset="random"),
    ps.construct("shortened_cosets", num_classes=100, dim=15, mapping="random"),
    ps.construct("best", num_classes=50_000, dim=150, iterations=0),
    ps.construct("simplex", num_classes=30, dim=29, mapping="random"),
    ps.construct("e8_shell", num_classes=200, dim=8),
    ps.construct("paley_frame", num_classes=20, dim=7),
    ps.construct("log_sum_exp", num_classes=20, dim=6, steps=20),
    ps.from_points(torch.eye(4).double().numpy()),
]


@pytest.mark.parametrize(
    "code", LARGE, ids=lambda code: f"{code.provenance and code.provenance.scheme}"
)
def test_of_large_codes_is_left_out_what_comes_back_exactly(code, monkeypatch):
    monkeypatch.setattr(checkpoint, "MOST_CARRIED", 10)
    head = PrototypeHead(code).double()
    again = PrototypeHead.from_state_dict(head.state_dict())
    assert np.array_equal(again.code.rows(0, 3000), code.rows(0, 3000))
    assert ps.certify(again.code) == code.certificate
    assert type(again.code.placement.structure) is type(code.placement.structure)
    if code.num_classes > 10_000:
        assert len(head.get_extra_state()) < code.num_classes


def other_answer(scheme_options, points):
    """A head whose code is another answer to the same request."""
    head = PrototypeHead(20, dim=6, **scheme_options)
    code = ps.from_points(points)
    head.reserve = ps.SphericalCode(
        code.placement, code.certificate, head.reserve.provenance
    )
    return head.grow(20)


@pytest.mark.parametrize(
    "options",
    [{}, {"scheme": "log_sum_exp", "options": {"steps": 20}}, {"scheme": "uniform"}],
)
def test_another_answer_to_the_same_request_gives_way_to_the_saved_one(options):
    saved = PrototypeHead(20, dim=6, scale="learn", **options)
    drawn = ps.construct("uniform", num_classes=20, dim=6, seed=9).points
    other = other_answer({"scale": "learn", **options}, drawn).double()
    z = torch.randn(3, 6, dtype=torch.float64)
    assert not torch.allclose(other(z), saved.double()(z))
    other.load_state_dict(saved.state_dict())
    assert torch.equal(other(z), saved(z))


def test_prototypes_that_differ_by_rounding_give_way_and_others_do_not():
    points = ps.construct("uniform", num_classes=20, dim=6).points
    saved, near, far = (
        PrototypeHead(ps.from_points(points + shift, normalize=True))
        for shift in (0, 1e-9, 1e-3)
    )
    near.load_state_dict(saved.state_dict())
    assert np.array_equal(near.code.points, saved.code.points)
    with pytest.raises(InvalidArgumentError, match="are not this head's"):
        far.load_state_dict(saved.state_dict())


def test_a_head_on_a_budget_is_restored():
    head = PrototypeHead(ps.best(num_classes=30, dim=4, budget=1.2))
    again = PrototypeHead.from_state_dict(head.state_dict())
    assert np.array_equal(again.code.points, head.code.points)
    assert again.code.explain() == head.code.explain()


def test_first_classes_and_orders_are_in_provenance():
    head = PrototypeHead(10, dim=8, scheme="uniform", reserve=30)
    what = [step.what for step in head.code.provenance.steps]
    assert what == ["nested from 10", "first"]
    assert np.array_equal(rebuild(head.code.provenance).points, head.code.points)
    again = PrototypeHead.from_state_dict(PrototypeHead(head.code).state_dict())
    assert np.array_equal(again.code.points, head.code.points)
    assert again.code.provenance == head.code.provenance


def test_a_state_brings_its_preset_unless_another_was_asked_for():
    z = torch.randn(5, 9)
    saved = PrototypeHead(10, dim=9, preset="protosphere")
    default = PrototypeHead(10, dim=9)
    asked = PrototypeHead(10, dim=9, preset="lindstrom")
    for head in (default, asked):
        head.load_state_dict(saved.state_dict())
    assert torch.equal(default(z), saved(z))
    assert (default.preset.name, asked.preset.name) == ("protosphere", "lindstrom")


@pytest.mark.parametrize("scale", ["auto", "learn"])
def test_the_scale_stays_where_it_was_also_when_presets_choose_otherwise(
    monkeypatch, scale
):
    head = PrototypeHead(40, dim=39, scale=scale)
    state = head.state_dict()
    logits = head(torch.eye(39))
    monkeypatch.setattr(presets, "LOGIT", 77.0)
    fresh = PrototypeHead(40, dim=39, scale=scale)
    fresh.load_state_dict(state)
    for again in (fresh, PrototypeHead.from_state_dict(state)):
        assert torch.equal(again(torch.eye(39)), logits)


@pytest.mark.parametrize("restored", ["loaded into a head", "made from the state"])
def test_a_state_keeps_the_scale_it_was_trained_with(monkeypatch, restored):
    head = PrototypeHead(42, dim=41)
    state = head.state_dict()
    z = torch.randn(5, 41, generator=torch.Generator().manual_seed(0))
    monkeypatch.setattr(presets, "LOGIT", 100.0)
    again = PrototypeHead(42, dim=41)
    assert not torch.allclose(again(z), head(z))
    if restored == "made from the state":
        again = PrototypeHead.from_state_dict(state)
    else:
        again.load_state_dict(state)
    assert torch.equal(again(z), head(z))
