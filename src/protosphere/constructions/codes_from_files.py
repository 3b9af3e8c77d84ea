"""Functions that read codes and points from files, and that measure and certify them again.

- A certificate states the maximum cosine of a code. It is unverified if it was read from a file and the points were not
  measured again.
- The structure of a code is the way in which its points are stored, such as dense rows or packed codewords.
- The provenance of a code is the record of how it was built: the construction, its options, and later steps that
  reordered, removed or extended points.

A maximum cosine that a file states as a fraction is not trusted. If the file names a construction, and that
construction gives the same rows bit for bit, the theorem of the construction proves the fraction.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from protosphere.constructions.build import NESTED, placement_of
from protosphere.constructions.limits import size_infeasible_reason
from protosphere.constructions.registry import TEXTS, describe
from protosphere.errors import as_integer
from protosphere.spherical.certificate import (
    QUICK_WORK,
    Certificate,
    certificate_of,
    confirmed,
    measure,
)
from protosphere.spherical.io.loading import (
    is_code_file,
    measured_points,
    opened_code,
)
from protosphere.spherical.placement import Placement
from protosphere.spherical.provenance import Provenance, Step
from protosphere.spherical.spherical_code import SphericalCode
from protosphere.spherical.structures import Plain
from protosphere.types import Progress, ignore

MOST_ENTRIES = 1 << 23
"""Largest number of coordinates (64 MB) for which a code is built again, to compare its points with the file."""

MOST_ORDERED = 1 << 32
"""Largest product K^2 n for which points are sorted again into a nested order, with well separated points first."""

LARGEST_OPTION = 1 << 12
"""Largest absolute value of a number among the options of a provenance, which is the record of how a code was built.

No scheme in closed form needs a larger number.
"""

LONGEST_OPTION = 64
"""Largest number of characters of a text among the options of a provenance (the record of how a code was built)."""


def load(path: str | Path) -> SphericalCode:
    """Load the code saved in `path`.

    The certificate in a file is not trusted: the points are measured again if that takes a fraction of a second. If the
    points are stored as dense rows, the maximum cosine is exact in each of these cases:

    - All rows have the same number of nonzero entries, and the nonzero entries of each row have the same absolute
      value.
    - The rows equal, bit for bit, the points of the construction that the file names, and a theorem gives their maximum
      cosine as a fraction.

    Args:
        path: A .safetensors file that protosphere wrote, or a .npy, .csv, .txt or .pt file with one unit vector per
            row.

    Returns:
        The code. If measuring it would have taken too long, `code.certificate.unverified` is True, and `ps.certify`
        measures it.

    Raises:
        StorageError: If the file is truncated, edited, not a file of points, or its rows are not unit vectors.
        CertificateError: If the points contradict the certificate in the file.

    Example:
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> import protosphere as ps
        >>> with TemporaryDirectory() as folder:
        ...     path = Path(folder) / "code.safetensors"
        ...     _ = ps.construct("simplex", num_classes=10, dim=9).save(path)
        ...     load(path).max_cosine
        Fraction(-1, 9)
    """
    return from_points(path)


def certify(
    source: Any, *, normalize: bool = False, progress: Progress = ignore
) -> Certificate:
    """Measure the maximum cosine of given prototypes, and return it in a new certificate.

    Args:
        source: A SphericalCode, a matrix with a prototype per row, or the path of a file: .safetensors written by
            protosphere, or .npy, .csv, .txt or .pt with a prototype per row.
        normalize: Whether to divide each row by its norm first; otherwise rows that are not unit vectors raise an
            error.
        progress: Function that is called with a text, the number of finished steps and the number of all steps, while
            pairs are measured.

    Returns:
        The certificate.

    Raises:
        InvalidArgumentError: If `source` is not a matrix of finite numbers, or rows are not unit vectors.
        StorageError: If the file cannot be read.
        CertificateError: If the points contradict the certificate or the structure that `source` states.

    Example:
        >>> certify([[1, 0], [-1, 0]]).max_cosine
        Fraction(-1, 1)
    """
    return certified_code(source, normalize=normalize, progress=progress).certificate


def certified_code(
    source: Any, *, normalize: bool = False, progress: Progress = ignore
) -> SphericalCode:
    """Measure the points of `source`, and return them as a code with a new certificate.

    Args:
        source: A SphericalCode, a matrix with a prototype per row, or the path of a file: .safetensors written by
            protosphere, or .npy, .csv, .txt or .pt with a prototype per row.
        normalize: Whether to divide each row by its norm first; otherwise rows that are not unit vectors raise an
            error.
        progress: Function that is called with a text, the number of finished steps and the number of all steps, while
            pairs are measured.
    """
    if isinstance(source, SphericalCode):
        return verified(source, progress)
    if not is_code_file(source):
        return measured_points(source, normalize=normalize, progress=progress)
    with opened_code(source) as code:
        return verified(code, progress)


def from_points(
    points: Any, *, normalize: bool = False, progress: Progress = ignore
) -> SphericalCode:
    """Return a certified code whose points are the rows of a matrix or of a file.

    The maximum cosine of a matrix is exact if all rows have the same number of nonzero entries, and the nonzero entries
    of each row have the same absolute value. Otherwise the maximum cosine is measured, and `certificate.error` bounds
    the measurement error. For a file that protosphere wrote, the maximum cosine is also exact if the construction that
    the file names gives the same points, bit for bit, and a theorem gives their maximum cosine.

    Args:
        points: A matrix with a prototype per row, or the path of a file: .safetensors written by protosphere, or .npy,
            .csv, .txt or .pt with a prototype per row.
        normalize: Whether to divide each row by its norm first; otherwise rows that are not unit vectors raise an
            error.
        progress: Function that is called with a text, the number of finished steps and the number of all steps, while
            pairs are measured.

    Returns:
        The certified code. Points of a file that protosphere wrote are measured only if that takes a fraction of a
        second. If they are not measured, `certificate.unverified` is True.

    Raises:
        InvalidArgumentError: If `points` is not a matrix of finite numbers, or rows are not unit vectors.
        StorageError: If the file cannot be read.
        CertificateError: If the points contradict the certificate in the file.

    Example:
        >>> from_points([[3.0, 4.0], [-4.0, 3.0]], normalize=True).num_classes
        2
    """
    if not is_code_file(points):
        return measured_points(points, normalize=normalize, progress=progress)
    with opened_code(points) as code:
        return verified_if_quick(code, progress)


def verified_if_quick(
    code: SphericalCode, progress: Progress = ignore
) -> SphericalCode:
    """Return the code with a measured certificate if measuring takes a fraction of a second.

    If measuring takes longer, the code is returned unchanged.

    Args:
        code: A code, whose certificate may be unverified.
        progress: Function that is called with a text, the number of finished steps and the number of all steps, while
            pairs are measured.
    """
    if code.placement.structure.work > QUICK_WORK:
        return code
    return verified(code, progress)


def verified(code: SphericalCode, progress: Progress = ignore) -> SphericalCode:
    """Measure the maximum cosine of a code, and return the code with a new certificate.

    Args:
        code: A code, whose certificate may be unverified.
        progress: Function that is called with a text, the number of finished steps and the number of all steps, while
            pairs are measured.

    Returns:
        The same points with a new certificate. The certificate is exact in each of these cases:

        - The structure of the points gives exact cosines.
        - The construction that the provenance names gives the same points, bit for bit, and a theorem gives their
          maximum cosine as a fraction.

    Raises:
        CertificateError: If the points contradict their structure or certificate.
    """
    structure = code.placement.structure
    rebuilt = _rebuilt_with_guarantee(code, progress)
    if rebuilt is None:
        measured = measure(structure, progress, verify=True)
        return replace(code, certificate=confirmed(measured, code.certificate))
    placement, guarantee = rebuilt
    if _has_other_cosine_step(structure, placement):
        structure.check()
    measured = measure(placement.structure, progress)
    found = confirmed(measured, code.certificate)
    proved = certificate_of(measured, guarantee, proved=True)
    if not proved.exact:
        return replace(code, certificate=found)
    return replace(code, placement=placement, certificate=proved)


def _has_other_cosine_step(structure: object, rebuilt: Placement) -> bool:
    # the file states a fraction such that all cosines should be 1 minus integer multiples of it
    if not isinstance(structure, Plain) or structure.unverified_step is None:
        return False
    return structure.unverified_step != rebuilt.structure.cosine_step


def _rebuilt_with_guarantee(
    code: SphericalCode, progress: Progress
) -> tuple[Placement, Fraction] | None:
    structure = code.placement.structure
    named = code.provenance
    if not isinstance(structure, Plain) or structure.measures_exactly:
        return None  # not a dense matrix, or cosines that are exact already
    if named is None:
        return None
    try:
        guarantee = _quick_guarantee(named, code.dim)
        if guarantee is None:
            return None
        placement = placement_of(named, progress)
    except Exception:  # somebody else wrote the provenance: builders raise anything on one that is not theirs
        return None
    if placement.points is None:
        return None
    if not np.array_equal(placement.points, structure.points):
        return None  # at least one bit differs
    return placement, guarantee


def is_closed_form(named: Provenance) -> bool:
    """Return whether the points that a provenance describes can be built again from formulas.

    The result is True if all of these conditions hold:

    - The construction has the trait `closed_form`: its points come from formulas that every machine rounds alike.
    - The construction has a code of K points in R^n for the K and n that the provenance states.
    - The points fit into memory.
    - Each later step that keeps the first points, or appends zeros, states a count of at most 2^23.
    - The options of the construction are small numbers or short texts.
    - The construction reads no file.

    Args:
        named: Provenance of a code.
    """
    entry = describe(named.placed_by.construction)
    steps = [step for level in _levels(named) for step in level.steps]
    small_steps = all(0 <= step.count <= MOST_ENTRIES for step in steps)
    return entry.traits.closed_form and small_steps and _is_feasible(named.placed_by)


def _is_feasible(placed: Provenance) -> bool:
    # Large numbers and long texts are refused as options. So are the options in `TEXTS`, which may be paths of files.
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


def _quick_guarantee(named: Provenance, dim: int) -> Fraction | None:
    placed = named.placed_by
    entry = describe(placed.construction)
    K = placed.num_classes
    n = placed.dim
    if entry.traits.searched or entry.traits.chooses or K * n > MOST_ENTRIES:
        return None
    if not _is_feasible(placed):
        return None
    chosen = entry.chosen(K, n, placed.options)
    if placed.chosen and dict(placed.chosen) != dict(chosen):
        return None
    if not all(_is_quick(level, dim) for level in _levels(named)):
        return None
    guarantee = entry.promised(K, n, chosen, placed.options)
    return guarantee if isinstance(guarantee, Fraction) else None


def _is_small(value: object) -> bool:
    if isinstance(value, str):
        return len(value) <= LONGEST_OPTION
    return value is None or (
        isinstance(value, int | float) and abs(value) <= LARGEST_OPTION
    )


def _levels(named: Provenance) -> list[Provenance]:
    return [named] if named.resolved is None else [named, *_levels(named.resolved)]


def _is_quick(named: Provenance, dim: int) -> bool:
    ordered = named.mapping.startswith(NESTED)
    if ordered and named.num_classes**2 * named.dim > MOST_ORDERED:
        return False
    return named.num_classes * named.dim <= MOST_ENTRIES and all(
        _fits(step, dim) for step in named.steps
    )


def _fits(step: Step, dim: int) -> bool:
    return 0 <= step.count <= max(dim, MOST_ENTRIES // dim)
