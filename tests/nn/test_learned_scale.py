"""A scale that is learned is a parameter with one entry; states that hold it as a scalar load as well."""

from __future__ import annotations

import torch
from torch import nn

from protosphere.nn import PrototypeHead


def test_a_learned_scale_that_was_saved_as_a_scalar_loads():
    saved = PrototypeHead(10, dim=4, scale="learn")
    nn.init.constant_(saved.scaling.shift, 0.3)
    state = saved.state_dict()
    state["scaling.shift"] = state["scaling.shift"].reshape(())
    loaded = PrototypeHead(10, dim=4, scale="learn")
    loaded.load_state_dict(state)
    z = torch.randn(3, 4)
    for head in (loaded, PrototypeHead.from_state_dict(state)):
        assert head.scaling.shift.shape == (1,)
        assert torch.equal(head(z), saved(z))
