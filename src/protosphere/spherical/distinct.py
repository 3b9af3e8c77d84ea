"""Check that no two points of a code are equal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from protosphere.errors import CertificateError
from protosphere.spherical.spherical_code import SphericalCode
from protosphere.spherical.structures import (
    GluedWords,
    OrthogonalSimplices,
    ProductPoints,
    SignWords,
    WordsAndAxes,
)
from protosphere.types import Indices

MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
"""Odd multiplier with irregular bits (2^64 divided by the golden ratio), which spreads hashes over 64 bits."""

BLOCK_ROWS = 1 << 14
"""Number of rows that are hashed together."""


def require_different_points(code: SphericalCode) -> None:
    """Raise CertificateError if two classes of a code have the same point."""
    structure = code.placement.structure
    if isinstance(structure, OrthogonalSimplices):
        structure.check()
        return
    if isinstance(structure, ProductPoints):
        structure.check()
        # classes differ in the values of their parts, so it suffices that different values have different points
        _require_different_values(structure)
        return
    # to save time, only points with equal hashes are compared
    hashes = _point_hashes(code)
    order = np.argsort(hashes, kind="stable")
    same_as_next = hashes[order][1:] == hashes[order][:-1]
    seen = dict[bytes, int]()
    for class_number in order[
        np.append(same_as_next, False) | np.append(False, same_as_next)
    ].tolist():
        other = seen.setdefault((code[class_number] + 0.0).tobytes(), class_number)
        if other != class_number:
            raise CertificateError(
                f"classes {other} and {class_number} have the same point"
            )


def _require_different_values(structure: ProductPoints) -> None:
    for number, points in enumerate(structure.part_points):
        rows = np.unique(points + 0.0, axis=0)
        if len(rows) < len(points):
            raise CertificateError(f"two values of part {number} have the same point")


def _point_hashes(code: SphericalCode) -> NDArray[np.uint64]:
    # equal points have equal hashes
    structure = code.placement.structure
    if isinstance(structure, SignWords):
        return _word_hashes(structure)
    if isinstance(structure, GluedWords):
        group: Indices = structure.codewords.word_numbers() // structure.group
        hashes = _word_hashes(structure.codewords)
        return hashes + group.astype(np.uint64) * MULTIPLIER
    if isinstance(structure, WordsAndAxes):
        hashes = structure.axes.astype(np.uint64) * MULTIPLIER
        hashes[structure.axes == 0] = _word_hashes(structure.codewords)
        return hashes
    starts = range(0, code.num_classes, BLOCK_ROWS)
    return np.concatenate(
        [_byte_hashes(code.rows(start, start + BLOCK_ROWS) + 0.0) for start in starts]
    )


def _word_hashes(words: SignWords) -> NDArray[np.uint64]:
    starts = range(0, words.count, BLOCK_ROWS)
    return np.concatenate(
        [_byte_hashes(words.packed_rows(start, start + BLOCK_ROWS)) for start in starts]
    )


def _byte_hashes(rows: NDArray[np.generic]) -> NDArray[np.uint64]:
    content = np.ascontiguousarray(rows).view(np.uint8)
    content = np.pad(content, ((0, 0), (0, -content.shape[1] % 8)))
    numbers = content.view(np.uint64)
    hashes = np.zeros(len(rows), dtype=np.uint64)
    for column in numbers.T:
        hashes = (hashes ^ column) * MULTIPLIER
        hashes ^= hashes >> np.uint64(29)
    return hashes
