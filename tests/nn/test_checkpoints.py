"""State dicts without a matrix: what is in them, which heads take them, and heads made from them."""

from __future__ import annotations

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import nn

import protosphere as ps
from protosphere.errors import InvalidArgumentError
from protosphere.nn import PrototypeHead
from protosphere.nn.checkpoint import packed_state, unpacked_state


def model(**options):
    return nn.Sequential(nn.Linear(4, 64), PrototypeHead(100, dim=64, **options))


def through_file(state, path):
    torch.save(state, path)
    return torch.load(path, weights_only=True)


def test_a_checkpoint_holds_provenance_and_no_matrix(tmp_path):
    state = through_file(model().state_dict(), tmp_path / "model.pt")
    assert set(state) == {"0.weight", "0.bias", "1._extra_state"}
    saved = unpacked_state(state["1._extra_state"])
    assert saved["provenance"]["num_classes"] == 100
    assert len(saved["digest"]) == 64
    assert state["1._extra_state"].numel() < 2000


@pytest.mark.parametrize("scale", ["auto", "learn", 3.0])
def test_loading_gives_the_same_logits(tmp_path, scale):
    first, second = model(scale=scale), model(scale=scale)
    if scale == "learn":
        nn.init.constant_(first[1].scaling.shift, 0.3)
    second.load_state_dict(through_file(first.state_dict(), tmp_path / "model.pt"))
    z = torch.randn(3, 4)
    assert torch.equal(first(z), second(z))


def test_safetensors_take_it_too(tmp_path):
    first, second = model(), model()
    save_file(first.state_dict(), tmp_path / "model.safetensors")
    second.load_state_dict(load_file(tmp_path / "model.safetensors"))
    assert torch.equal(first[0].weight, second[0].weight)


@pytest.mark.parametrize(
    "other",
    [
        PrototypeHead(99, dim=64),
        PrototypeHead(100, dim=128),
        PrototypeHead(100, dim=64, scheme="uniform"),
        PrototypeHead(ps.construct("cross_polytope", num_classes=100, dim=64, mapping="random")),
    ],
    ids=lambda head: head.code.provenance.construction,
)
def test_a_head_with_another_code_refuses(other):
    head = PrototypeHead(100, dim=64)
    with pytest.raises(InvalidArgumentError) as refused:
        other.load_state_dict(head.state_dict())
    assert str(refused.value).startswith("the checkpoint's prototypes are not this head's: it was trained with Spher")
    assert "\n" not in str(refused.value)


def test_a_grown_head_takes_what_was_saved_before(tmp_path):
    small = PrototypeHead(10, dim=16, reserve=100)
    large = PrototypeHead(10, dim=16, reserve=100).grow(40)
    large.load_state_dict(small.state_dict())
    with pytest.raises(
        InvalidArgumentError, match=r"has 40 classes, this head 10: call head.grow\(40\) before loading"
    ):
        small.load_state_dict(large.state_dict())


@pytest.mark.parametrize(
    "head",
    [
        PrototypeHead(10, dim=16, reserve=100, scale="learn", options={"catalogue": False}),
        PrototypeHead(50, dim=31, scheme="bch", preset="mettes"),
        PrototypeHead(10, dim=8, scheme="uniform", seed=3, reserve=30).grow(20),
        PrototypeHead(ps.construct("simplex", num_classes=10, dim=9, mapping="random", seed=5), scale=2.0),
    ],
    ids=lambda head: head.code.provenance.construction,
)
def test_a_head_is_made_from_a_checkpoint_alone(head, tmp_path):
    whole = nn.ModuleDict({"head": head})
    again = PrototypeHead.from_state_dict(through_file(whole.state_dict(), tmp_path / "h.pt"), prefix="head.")
    z = torch.randn(3, head.dim)
    assert torch.equal(again(z), head(z))
    assert again.reserve.num_classes == head.reserve.num_classes


def test_what_cannot_be_made_again_is_said_in_one_sentence():
    given = PrototypeHead(ps.from_points(torch.eye(4).double().numpy()))
    with pytest.raises(InvalidArgumentError, match="given as points, without provenance"):
        PrototypeHead.from_state_dict(given.state_dict())
    with pytest.raises(InvalidArgumentError, match="'state' has no '_extra_state': give 'prefix'"):
        PrototypeHead.from_state_dict({})
    with pytest.raises(InvalidArgumentError, match="not one that protosphere wrote"):
        given.set_extra_state(torch.zeros(3, dtype=torch.uint8))


def test_a_code_that_is_built_differently_now_is_refused():
    drawn = ps.construct("uniform", num_classes=10, dim=4, seed=1)
    other = ps.construct("uniform", num_classes=10, dim=4, seed=2)
    forged = ps.SphericalCode(drawn.placement, drawn.certificate, other.provenance)
    state = {"_extra_state": packed_state(forged, forged, {"preset": "lindstrom"})}
    with pytest.raises(InvalidArgumentError, match=r"differs from the one version \S+ had"):
        PrototypeHead.from_state_dict(state)
