"""The DINO head: shapes and names of the public ones, fixed and learned prototypes, states and dtypes."""

from __future__ import annotations

import copy

import pytest
import torch
from torch import nn
from torch.nn.functional import normalize

import protosphere as ps
from protosphere.errors import InvalidArgumentError
from protosphere.nn import DINOHead, LearnedPrototypes, PrototypeHead

SMALL = {"hidden_dim": 16, "bottleneck_dim": 8}


def features(rows=5):
    return torch.randn(rows, 12, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize("prototypes", ["fixed", "learned"])
def test_logits_are_cosines_of_the_bottleneck(prototypes):
    head = DINOHead(12, 50, prototypes=prototypes, **SMALL)
    x = features()
    embedded = normalize(head.mlp(x))
    matrix = head.last_layer.prototypes()
    torch.testing.assert_close(head.embed(x), embedded)
    torch.testing.assert_close(head(x), embedded @ matrix.T)


def test_names_are_those_of_public_heads():
    head = DINOHead(12, 50, prototypes="learned", use_bn=True, **SMALL)
    kinds = [type(layer) for layer in head.mlp]
    block = [nn.Linear, nn.BatchNorm1d, nn.GELU]
    assert kinds == [*block, *block, nn.Linear]
    plain = DINOHead(12, 50, prototypes="learned", **SMALL)
    assert list(plain.state_dict()) == [
        *(f"mlp.{i}.{name}" for i in (0, 2, 4) for name in ("weight", "bias")),
        "last_layer.weight",
    ]
    assert isinstance(DINOHead(12, 50, nlayers=1, **SMALL).mlp, nn.Linear)


def test_public_checkpoint_with_weight_normalization_loads():
    head = DINOHead(12, 50, prototypes="learned", **SMALL)
    state = dict(DINOHead(12, 50, prototypes="learned", seed=1, **SMALL).state_dict())
    weight = state.pop("last_layer.weight")
    state["last_layer.weight_v"] = 3 * weight
    state["last_layer.weight_g"] = torch.ones(50, 1)
    head.load_state_dict(state)
    torch.testing.assert_close(head.last_layer.prototypes(), weight)


def test_last_layer_is_the_given_code_and_trains_nothing():
    code = ps.construct("simplex", num_classes=9, dim=8)
    head = DINOHead(12, 9, prototypes=code, **SMALL)
    assert isinstance(head.last_layer, PrototypeHead)
    assert head.last_layer.code is code
    assert not list(head.last_layer.parameters())
    learned = DINOHead(12, 9, prototypes="learned", **SMALL)
    assert isinstance(learned.last_layer, LearnedPrototypes)


def test_seed_decides_weights_and_not_the_code():
    first, second, other = (DINOHead(12, 50, seed=seed, **SMALL) for seed in (1, 1, 2))
    x = features()
    assert torch.equal(first(x), second(x))
    assert not torch.equal(first.mlp[0].weight, other.mlp[0].weight)
    assert torch.equal(first.last_layer.prototypes(), other.last_layer.prototypes())


@pytest.mark.parametrize("prototypes", ["fixed", "learned"])
def test_state_and_copy_round_trip(prototypes):
    first = DINOHead(12, 50, prototypes=prototypes, seed=1, **SMALL)
    second = DINOHead(12, 50, prototypes=prototypes, seed=2, **SMALL)
    second.load_state_dict(first.state_dict())
    x = features()
    assert torch.equal(first(x), second(x))
    assert torch.equal(first(x), copy.deepcopy(first)(x))


@pytest.mark.parametrize("prototypes", ["fixed", "learned"])
def test_half_types_and_autocast_give_unit_vectors_of_float32(prototypes):
    head = DINOHead(12, 50, prototypes=prototypes, **SMALL)
    with torch.autocast("cpu", torch.bfloat16):
        embedded = head.embed(features())
        logits = head(features())
    assert embedded.dtype == logits.dtype == torch.float32
    torch.testing.assert_close(embedded.norm(dim=1), torch.ones(5))
    half = copy.deepcopy(head).bfloat16()
    torch.testing.assert_close(
        half.embed(features().bfloat16()).norm(dim=1), torch.ones(5)
    )


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"in_dim": 0}, "'in_dim'"),
        ({"out_dim": 1}, "'out_dim'"),
        ({"nlayers": 0}, "'nlayers'"),
        ({"hidden_dim": -1}, "'hidden_dim'"),
        ({"bottleneck_dim": 0}, "'bottleneck_dim'"),
        ({"use_bn": 1}, "'use_bn'"),
        ({"prototypes": "frozen"}, "'prototypes'"),
        ({"seed": -1}, "'seed'"),
    ],
)
def test_bad_options_are_refused_by_name(options, named):
    given = {"in_dim": 12, "out_dim": 50, **SMALL, **options}
    with pytest.raises(InvalidArgumentError, match=named):
        DINOHead(**given)


def test_code_of_another_size_is_refused():
    code = ps.construct("simplex", num_classes=9, dim=8)
    with pytest.raises(InvalidArgumentError, match="'out_dim'"):
        DINOHead(12, 10, prototypes=code, **SMALL)
