"""Files and checkpoints that versions wrote before provenance said what a code is: they load for ever.

States then held no points. `rows` are some of the prototypes that the head had.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

import protosphere as ps
from protosphere.nn import PrototypeHead

HERE = Path(__file__).parent / "before"
STATES = sorted(path for path in HERE.glob("*.safetensors") if not path.stem.startswith("code-"))
CODES = sorted(HERE.glob("code-*.safetensors"))


@pytest.mark.parametrize("path", STATES, ids=lambda path: path.stem)
@pytest.mark.filterwarnings("ignore:the checkpoint is from version")  # other processors round otherwise
def test_a_head_comes_back(path):
    state = load_file(path)
    rows = state.pop("rows")
    head = PrototypeHead.from_state_dict(state)
    torch.testing.assert_close(head.prototypes(torch.arange(len(rows))), rows, rtol=0, atol=1e-6)
    again = PrototypeHead.from_state_dict(head.state_dict())
    assert torch.equal(again.prototypes(torch.arange(len(rows))), head.prototypes(torch.arange(len(rows))))


def test_a_head_of_today_takes_the_prototypes_of_then():
    state = load_file(HERE / "best-padded.safetensors")
    rows = state.pop("rows")
    head = PrototypeHead(60, dim=20)  # the catalogue knows better now
    before = head.prototypes()[: len(rows)]
    head.load_state_dict(state)
    assert not torch.allclose(before, rows, atol=1e-3)
    torch.testing.assert_close(head.prototypes()[: len(rows)], rows, rtol=0, atol=1e-6)


@pytest.mark.parametrize("path", CODES, ids=lambda path: path.stem)
def test_a_file_is_read(path):
    code = ps.load(path)
    assert ps.certify(code) == code.certificate
    assert len(np.unique(code.points.round(9), axis=0)) == code.num_classes
