"""Files of codes that versions wrote before provenance said what a code is: they load for ever."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import protosphere as ps

HERE = Path(__file__).parent / "before"
CODES = sorted(HERE.glob("code-*.safetensors"))


@pytest.mark.parametrize("path", CODES, ids=lambda path: path.stem)
def test_a_file_is_read(path):
    code = ps.load(path)
    assert ps.certify(code) == code.certificate
    assert len(np.unique(code.points.round(9), axis=0)) == code.num_classes
