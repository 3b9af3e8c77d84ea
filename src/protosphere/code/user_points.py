"""Points that come from outside: arrays, tensors and files, read, checked and certified like our own."""

from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from protosphere.code import file as code_file
from protosphere.code.certificate import EPSILON, Certificate, certified, certified_again
from protosphere.code.formats import read_points
from protosphere.code.placement import Placement
from protosphere.code.spherical_code import SphericalCode
from protosphere.code.structures import Plain, SignWords, Structure
from protosphere.errors import InvalidArgumentError
from protosphere.files import reason
from protosphere.geometry.sphere import normalized, require_unit_rows
from protosphere.types import Points, Progress, ignore

SMALLEST_ROUNDING = 1e-13
"""Entries this close to 0 or +-c, relative to c, are taken for it, or closer than eight roundings of their type."""


def load(path: str | Path) -> SphericalCode:
    """The code saved in `path`: one of ours (.safetensors), or the unit rows of a .npy, .csv, .txt or .pt file.

    StorageError in one sentence for a truncated, edited, foreign or non-unit file. What a file of ours claims is
    measured again where that is quick, and a false claim is a CertificateError; else `code.certificate.claimed` says
    that it was not, and `ps.certify` does it.
    """
    return SphericalCode(*code_file.load(path)) if _is_ours(Path(path)) else from_points(path)


def certify(source: Any, *, normalize: bool = False, progress: Progress = ignore) -> Certificate:
    """The certificate of anybody's prototypes, measured anew: a code, an array or tensor of rows, or a file of them.

    Args:
        source: a SphericalCode, a matrix with a prototype per row, or the path of a file as `ps.load` reads it.
        normalize: divide each row by its norm first; without it rows that are not unit vectors are refused.
        progress: called while pairs are measured.

    >>> certify([[1, 0], [-1, 0]]).max_cosine
    Fraction(-1, 1)
    """
    if isinstance(source, str | Path) and _is_ours(Path(source)):
        source = load(source)
    if isinstance(source, SphericalCode):
        return certified_again(source.placement, source.certificate, progress)
    return from_points(source, normalize=normalize, progress=progress).certificate


def from_points(points: Any, *, normalize: bool = False, progress: Progress = ignore) -> SphericalCode:
    """A certified code of a matrix of unit rows, or of a file of them; exact where rows are of +-c, or of 0 and +-c."""
    if isinstance(points, str | Path):
        if _is_ours(Path(points)):
            return load(points)
        points = read_points(Path(points))
    matrix, rounding = as_matrix(points)
    placement = Placement("given points", recognised(_unit_directions(matrix) if normalize else matrix, rounding))
    return SphericalCode(placement, certified(placement, None, progress, rounding), None)


def _is_ours(path: Path) -> bool:
    """By its name, or by its content: earlier versions wrote the same file under any name."""
    if path.suffix.lower() == ".safetensors":
        return True
    with suppress(OSError, ValueError):
        if path.is_file():
            with path.open("rb") as file:
                return file.read(9)[8:] == b"{"  # after the length of its header
    return False


def recognised(points: Points, rounding: float = EPSILON) -> Structure:
    """Somebody's points, as exact as they allow: words of +-c are packed, words of 0, +-c put on a grid.

    Rows must be unit vectors up to rounding, which is taken out; `rounding` is that of the numbers they were kept in.
    """
    require_unit_rows(points)
    size, near = float(np.max(np.abs(points))), max(SMALLEST_ROUNDING, 8 * rounding)
    off = np.minimum(np.abs(points), np.abs(np.abs(points) - size)) > near * size
    nonzero = round(1 / size**2)
    if off.any() or abs(nonzero * size**2 - 1) > 4 * near:
        return Plain(normalized(points))
    if nonzero == points.shape[1]:
        return SignWords(nonzero, np.packbits(points > 0, axis=1))
    exact = normalized(np.sign(np.where(np.abs(points) > size / 2, points, 0.0)))
    return Plain(exact, Fraction(1, nonzero))


def as_matrix(points: Any) -> tuple[Points, float]:
    """`points`, on whatever device, as a new float64 array, and the rounding of the numbers they were kept in."""
    rounding = None
    try:
        if hasattr(points, "detach"):
            points = points.detach().cpu()
            if points.is_floating_point():  # numpy has not all types of torch
                from torch import finfo

                rounding, points = finfo(points.dtype).eps, points.double()
        raw: NDArray[Any] = np.asarray(points)
        if raw.dtype.kind not in "biuf":
            raise TypeError(f"entries of type {raw.dtype}")
        own = float(np.finfo(raw.dtype).eps) if raw.dtype.kind == "f" else EPSILON
        return raw.astype(np.float64), rounding or own
    except (TypeError, ValueError, RuntimeError) as error:
        wanted = f"a matrix of real numbers, one prototype per row: {reason(error)}"
        raise InvalidArgumentError(f"'points' must be {wanted}") from error


def _unit_directions(points: Points) -> Points:
    """Rows divided by their norms; a row of zeros has no direction, and one that is not finite neither."""
    if points.ndim != 2 or not points.size:
        return points
    for wrong, what in ((~np.isfinite(points).all(axis=1), "NaN or infinity"), (~np.any(points, axis=1), "zeros")):
        if wrong.any():
            raise InvalidArgumentError(f"'points' must have rows to normalise, got {what} in row {wrong.argmax()}")
    return normalized(points)
