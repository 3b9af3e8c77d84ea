"""Codes and points from files: read, measured again, and compared with what their construction makes.

Rows in a file are numbers, and a fraction that the file gives for them is a claim. Where the file names a construction,
and that construction makes the same rows bit for bit, its theorem holds for them as it does for a code just made.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from protosphere.constructions.build import NESTED, rebuild
from protosphere.constructions.limits import size_infeasible_reason
from protosphere.constructions.registry import TEXTS, describe
from protosphere.errors import as_integer
from protosphere.spherical.certificate import Certificate
from protosphere.spherical.io import loading as user_points
from protosphere.spherical.provenance import Provenance, Step
from protosphere.spherical.spherical_code import SphericalCode
from protosphere.types import Progress, ignore

MOST_ENTRIES = 1 << 23
"""Numbers of a code that is made again to be compared: 64 MB."""

MOST_ORDERED = 1 << 32
"""Products (K^2 n) spent on an order that the file does not hold."""

LARGEST_OPTION = 1 << 12
"""Of the integers among the options: none of a scheme in closed form takes more."""

LONGEST_OPTION = 64


def load(path: str | Path) -> SphericalCode:
    """The code saved in `path`: one of ours (.safetensors), or the unit rows of a .npy, .csv, .txt or .pt file.

    Nothing that a file of ours claims is believed. It is measured again where that is quick, and a false claim is a
    CertificateError; else `code.certificate.claimed` says that it was not, and `ps.certify` does it. Dense rows are
    certified exactly only where their numbers prove it, or where they are bit for bit those of the construction that
    the file names.

    Raises:
        StorageError: In one sentence, for a truncated, edited, foreign or non-unit file.
        CertificateError: If the points are not what the file says.
    """
    code = user_points.measured_file(path)
    return code if code.certificate.claimed else with_theorem(code)


def certify(
    source: Any, *, normalize: bool = False, progress: Progress = ignore
) -> Certificate:
    """The certificate of anybody's prototypes, measured anew: a code, an array or tensor of rows, or a file of them.

    Args:
        source: a SphericalCode, a matrix with a prototype per row, or the path of a file as `ps.load` reads it.
        normalize: divide each row by its norm first; without it rows that are not unit vectors are refused.
        progress: called while pairs are measured.

    >>> certify([[1, 0], [-1, 0]]).max_cosine
    Fraction(-1, 1)
    """
    code = source
    if not isinstance(code, SphericalCode):
        code = user_points.measured_points(
            source, normalize=normalize, progress=progress
        )
        if code.provenance is None and not code.certificate.claimed:
            return code.certificate
    proved = _made_again(code, progress)
    if proved is None:
        return user_points.certified_code(code, progress)
    return proved.certificate


def from_points(
    points: Any, *, normalize: bool = False, progress: Progress = ignore
) -> SphericalCode:
    """A certified code of a matrix of unit rows, or of a file of them.

    The largest cosine is exact where the nonzero entries of each row have one absolute value, and all rows have as many
    of them; else it is measured, and `certificate.error` bounds how far it is from that of the numbers given.

    Args:
        points: a matrix with a prototype per row, or the path of a file as `ps.load` reads it.
        normalize: divide each row by its norm first; without it rows that are not unit vectors are refused.
        progress: called while pairs are measured.

    >>> from_points([[3.0, 4.0], [-4.0, 3.0]], normalize=True).num_classes
    2
    """
    code = user_points.measured_points(points, normalize=normalize, progress=progress)
    return code if code.certificate.claimed else with_theorem(code)


def with_theorem(code: SphericalCode, progress: Progress = ignore) -> SphericalCode:
    """The same code, certified by its construction's theorem where its rows are those of that construction."""
    made = _made_again(code, progress)
    if made is None:
        return code
    return replace(code, placement=made.placement, certificate=made.certificate)


def _made_again(code: SphericalCode, progress: Progress) -> SphericalCode | None:
    """The code of the same provenance, where dense rows are the same bit for bit and a theorem makes them exact."""
    named = code.provenance
    rows = code.placement.points
    if (
        rows is None
        or named is None
        or (code.certificate.exact and code.placement.structure.cosine_step is not None)
    ):
        return None
    try:
        if not _is_harmless(named, code.dim):
            return None
        made = rebuild(named, progress)
    except Exception:  # somebody else wrote the provenance: builders raise anything on one that is not theirs
        return None
    same = made.placement.points is not None and np.array_equal(
        made.placement.points, rows
    )
    return made if same and made.certificate.exact else None


def is_closed_form(named: Provenance) -> bool:
    """Whether the points are of a closed form that this machine can hold, and making them again reads no file."""
    entry = describe(named.placed_by.construction)
    steps = [step for level in _levels(named) for step in level.steps]
    small_steps = all(0 <= step.count <= MOST_ENTRIES for step in steps)
    return entry.traits.closed_form and small_steps and _is_feasible(named.placed_by)


def _is_feasible(placed: Provenance) -> bool:
    """Whether a construction takes the sizes and the options, and those name no file."""
    entry = describe(placed.construction)
    K = placed.num_classes
    n = placed.dim
    for name, minimum in (("num_classes", 2), ("dim", 1), ("seed", 0)):
        as_integer(name, getattr(placed, name), minimum=minimum)
    if not all(_is_small(value) for value in placed.options.values()):
        return False
    if any(placed.options.get(name) for name in TEXTS):
        return False
    return (
        entry.infeasible_reason(K, n, **placed.options) is None
        and size_infeasible_reason(entry, K, n) is None
    )


def _is_harmless(named: Provenance, dim: int) -> bool:
    """Whether making the code again is quick, reads no file, and gives an exact largest cosine."""
    placed = named.placed_by
    entry = describe(placed.construction)
    K = placed.num_classes
    n = placed.dim
    if (
        entry.traits.searched
        or entry.traits.chooses
        or not _is_feasible(placed)
        or K * n > MOST_ENTRIES
    ):
        return False
    chosen = entry.chosen(K, n, placed.options)
    if placed.chosen and dict(placed.chosen) != dict(chosen):
        return False
    if not isinstance(entry.promised(K, n, chosen, placed.options), Fraction):
        return False
    return all(_is_quick(level, dim) for level in _levels(named))


def _is_small(value: object) -> bool:
    """Whether an option is a flag, a small number or a name."""
    if isinstance(value, str):
        return len(value) <= LONGEST_OPTION
    return value is None or (
        isinstance(value, int | float) and abs(value) <= LARGEST_OPTION
    )


def _levels(named: Provenance) -> list[Provenance]:
    """The provenance and those that it resolves to."""
    return [named] if named.resolved is None else [named, *_levels(named.resolved)]


def _is_quick(level: Provenance, dim: int) -> bool:
    """Whether the mapping and the steps of one level stay within the sizes of the code."""
    ordered = level.mapping.startswith(NESTED)
    if ordered and level.num_classes**2 * level.dim > MOST_ORDERED:
        return False
    return level.num_classes * level.dim <= MOST_ENTRIES and all(
        _fits(step, dim) for step in level.steps
    )


def _fits(step: Step, dim: int) -> bool:
    return 0 <= step.count <= max(dim, MOST_ENTRIES // dim)
