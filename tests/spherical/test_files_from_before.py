"""Files that the version before structures had names wrote are read by every later one, point for point.

`index.json` has the SHA-256 of each file's points (float64, little-endian, row by row) as that version gave them.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

import protosphere as ps

FOLDER = Path(__file__).parents[1] / "golden" / "before" / "structures"
INDEX = json.loads((FOLDER / "index.json").read_text())
KINDS = {"searched": "plain", "shell": "plain", "zeros": "tailed"}


@pytest.mark.parametrize("name", INDEX)
def test_a_file_from_before_has_its_points_structure_and_certificate(name, tmp_path):
    code = ps.load(FOLDER / f"{name}.safetensors")
    assert (
        hashlib.sha256(
            np.ascontiguousarray(code.points, dtype="<f8").tobytes()
        ).hexdigest()
        == INDEX[name]["points"]
    )
    assert repr(code) == INDEX[name]["code"]
    assert code.placement.structure.name == KINDS.get(name, name)
    assert ps.certify(code) == code.certificate
    code.save(tmp_path / "again.safetensors")
    again = ps.load(tmp_path / "again.safetensors")
    assert np.array_equal(again.points, code.points)
    assert (again.certificate, again.provenance) == (code.certificate, code.provenance)


def test_every_file_is_in_the_index():
    assert {path.stem for path in FOLDER.glob("*.safetensors")} == set(INDEX)
