"""Files and states of every kind that released versions wrote: every later version reads the same points."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from tools.golden import SCHEMES, require_every_kind, write_golden

import protosphere as ps
from protosphere.constructions import registry
from protosphere.constructions.best.candidates import candidates
from protosphere.constructions.build import rebuild
from protosphere.constructions.families import Member, family
from protosphere.nn import PrototypeHead
from protosphere.nn.checkpoint import code_digest, rounded_digest
from protosphere.spherical.structures.structure import STRUCTURES

FILES = sorted(Path(__file__).parent.glob("[0-9]*/*.safetensors"))
DIGESTS = {
    folder: json.loads((folder / "digests.json").read_text())
    for folder in {path.parent for path in FILES}
}
BUILT_AGAIN = ("head-large-closed-form",)
"""States without points: square roots and quotients may be rounded otherwise on another CPU."""


def read(path):
    """The code of a file, or the head of a state."""
    if path.stem.startswith("code-"):
        return ps.load(path)
    return PrototypeHead.from_state_dict(load_file(path)).code


def require_same(path):
    code = read(path)
    known = DIGESTS[path.parent][path.stem]
    assert rounded_digest(code) == known["rounded"]
    assert path.stem in BUILT_AGAIN or code_digest(code) == known["bits"]
    return code


@pytest.mark.parametrize(
    "path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}"
)
def test_the_points_are_those_that_were_written(path):
    code = require_same(path)
    some = np.arange(0, code.num_classes, max(1, code.num_classes // 50))
    rows = np.stack([code[int(i)] for i in some])
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-12)
    largest = (rows @ rows.T - 2 * np.eye(len(rows))).max()
    assert largest <= float(code.max_cosine) + 1e-9


@pytest.mark.parametrize(
    "path",
    [path for path in FILES if path.stem.startswith("head-")],
    ids=lambda path: path.stem,
)
def test_heads_use_what_was_written(path):
    state = load_file(path)
    head = PrototypeHead.from_state_dict(state)
    some = torch.arange(0, head.num_classes, max(1, head.num_classes // 20))
    rows = torch.from_numpy(np.stack([head.code[int(i)] for i in some])).float()
    torch.testing.assert_close(head.prototypes(some), rows, rtol=0, atol=1e-7)
    head.load_state_dict(state)


@pytest.fixture
def fake_family(monkeypatch):
    """A family that says it beats everything, for as long as the test runs; it has no points."""
    monkeypatch.setattr(
        registry.CONSTRUCTIONS, "_entries", dict(registry.CONSTRUCTIONS)
    )

    def none_to_place(num_classes):
        raise AssertionError(
            f"somebody asked again what is best for {num_classes} classes"
        )

    @family(summary="better than anything", reference="none")
    def fake(largest_dim):
        return (
            Member(dim, 1 << 24, -0.999, "fake", "no points", none_to_place)
            for dim in range(1, largest_dim + 1)
        )

    return fake.__name__


def test_a_better_family_changes_what_best_answers_and_not_what_files_mean(fake_family):
    assert candidates(100, 24)[0].scheme == fake_family
    for path in FILES:
        code = require_same(path)
        made = code.provenance
        if (
            made is not None
            and not ps.describe(made.placed_by.construction).traits.searched
            and code.num_classes < 2000
        ):
            np.testing.assert_allclose(
                rebuild(made).points, code.points, rtol=0, atol=1e-12
            )


def test_files_have_schemes_and_structures_that_are_registered():
    codes = [read(path) for path in FILES if path.stat().st_size < 100_000]
    assert {f"code-{name}" for name in SCHEMES} <= {path.stem for path in FILES}
    assert set(SCHEMES) <= set(ps.available())
    assert {code.placement.structure.name for code in codes} <= set(STRUCTURES)


def test_golden_files_without_a_scheme_or_structure_are_refused():
    simplex = ps.construct("simplex", num_classes=5, dim=4)
    with pytest.raises(ps.ProtosphereError, match=r"kerdock.*linear"):
        require_every_kind({"simplex": simplex})


def test_golden_files_of_a_version_are_not_overwritten():
    with pytest.raises(FileExistsError):
        write_golden(FILES[0].parent)
