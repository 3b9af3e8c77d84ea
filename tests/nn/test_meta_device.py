"""Models that begin on the meta device: prototypes are computed, never whatever was in memory."""

from __future__ import annotations

import copy

import pytest
import torch
from torch import nn

import protosphere as ps
from protosphere.nn import PrototypeHead

SIZES = [
    {"dim": 9, "num_classes": 10},
    {"dim": 6, "num_classes": 20},
    {"dim": 256, "num_classes": 300},
    {"dim": 256, "num_classes": 5000, "scheme": "kerdock"},
    {"dim": 6, "num_classes": 5, "reserve": 20, "scale": "learn"},
]


class Net(nn.Module):
    def __init__(self, options):
        super().__init__()
        self.body = nn.Linear(3, options["dim"])
        self.head = PrototypeHead(**options)

    def forward(self, x):
        return self.head(self.body(x))


def on_meta(options):
    with torch.device("meta"):
        return Net(options)


def x():
    return torch.randn(2, 3, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize("options", SIZES, ids=str)
def test_to_empty_and_load(options):
    whole = Net(options)
    model = on_meta(options).to_empty(device="cpu")
    model.load_state_dict(whole.state_dict())
    assert torch.equal(model(x()), whole(x()))


@pytest.mark.parametrize("options", SIZES, ids=str)
def test_load_by_assignment(options):
    whole = Net(options)
    model = on_meta(options)
    model.load_state_dict(whole.state_dict(), assign=True)
    assert torch.equal(model(x()), whole(x()))


@pytest.mark.parametrize("options", SIZES, ids=str)
def test_to_empty_alone_leaves_the_prototypes_right(options):
    head = Net(options).head
    before = head.prototypes()
    assert torch.equal(
        on_meta(options).to_empty(device="cpu").head.prototypes(), before
    )
    assert torch.equal(head.to_empty(device="cpu").prototypes(), before)


def pretrained(model, state):
    """As transformers' from_pretrained does: states set one by one, what is not saved left empty, no new start."""
    for name, value in state.items():
        path, _, last = name.rpartition(".")
        if last == "_extra_state":
            model.get_submodule(path).set_extra_state(value)
        else:
            setattr(model.get_submodule(path), last, nn.Parameter(value))
    for parent in model.modules():
        for name in parent._non_persistent_buffers_set & parent._buffers.keys():
            if parent._buffers[name] is not None:
                setattr(
                    parent,
                    name,
                    torch.full_like(parent._buffers[name], 77, device="cpu"),
                )
    return model.eval()


@pytest.mark.parametrize("options", SIZES, ids=str)
def test_loaders_that_leave_empty_what_is_not_saved(options):
    whole = Net(options)
    model = pretrained(on_meta(options), whole.state_dict())
    assert torch.equal(model.head.prototypes(), whole.head.prototypes())
    assert torch.equal(model(x()), whole(x()))
    again = pretrained(copy.deepcopy(model), whole.state_dict())
    assert torch.equal(again(x()), whole(x()))


@pytest.mark.parametrize("options", SIZES, ids=str)
def test_checkpoints_of_a_model_without_a_head(options):
    whole = Net(options)
    state = {
        name: value
        for name, value in whole.state_dict().items()
        if not name.startswith("head.")
    }
    model = on_meta(options)
    model.eval()  # nothing to fill yet
    if model.head.scaling.shift is not None:
        model.head.scaling.shift = nn.Parameter(torch.full((1,), torch.nan))
    pretrained(model, state)
    assert torch.equal(model.head.prototypes(), whole.head.prototypes())
    assert torch.equal(model(x()), whole(x()))


@pytest.mark.slow
def test_a_real_pretrained_model(tmp_path):
    transformers = pytest.importorskip("transformers")

    class Pretrained(transformers.PreTrainedModel):
        config_class = transformers.PretrainedConfig

        def __init__(self, config):
            super().__init__(config)
            self.net = Net({"dim": 6, "num_classes": 20})
            self.post_init()

        def _init_weights(self, module):
            del module

    model = Pretrained(transformers.PretrainedConfig())
    model.save_pretrained(tmp_path)
    assert torch.equal(Pretrained.from_pretrained(tmp_path).net(x()), model.net(x()))


def test_a_projection_of_ones_own_is_left_alone():
    head = PrototypeHead(ps.construct("uniform", num_classes=20, dim=6))
    mine = copy.deepcopy(head.projection)
    head.projection = mine
    head.load_state_dict(head.state_dict())
    assert head.float().eval().projection is mine
