"""Points somebody brings: arrays, tensors and files, read, checked and certified like our own."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from protosphere.code.certificate import Certificate
from protosphere.code.certification import certified
from protosphere.code.placement import Placement
from protosphere.code.spherical_code import SphericalCode, load
from protosphere.code.structures import Plain, SignWords, Structure
from protosphere.errors import InvalidArgumentError, StorageError
from protosphere.geometry.sphere import normalized, require_unit_rows
from protosphere.types import Points, Progress, ignore

FLOAT32_ROUNDING, FLOAT64_ROUNDING = 1e-6, 1e-13
"""Entries this close to 0 or +-c, relative to c, are taken for it: rounding of a sign or ternary code."""

READABLE = (".npy", ".csv", ".txt", ".safetensors")


def certify(source: Any, *, normalize: bool = False, progress: Progress = ignore) -> Certificate:
    """The certificate of anybody's prototypes, measured anew: a code, an array or tensor of rows, or a file of them.

    Args:
        source: a SphericalCode, a matrix with a prototype a row, or the path of a .npy, .csv, .txt or our own file.
        normalize: divide each row by its norm first; without it rows that are not unit vectors are refused.
        progress: called while pairs are measured.

    >>> certify([[1, 0], [-1, 0]]).max_cosine
    Fraction(-1, 1)
    """
    if isinstance(source, (str, Path)):
        path = Path(source)
        source = load(path) if path.suffix.lower() == ".safetensors" else read_points(path)
    if isinstance(source, SphericalCode):
        source.placement.structure.check()
        return certified(source.placement, source.certificate.guarantee, progress)
    return from_points(source, normalize=normalize, progress=progress).certificate


def from_points(points: Any, *, normalize: bool = False, progress: Progress = ignore) -> SphericalCode:
    """A certified code of a matrix of unit rows; exact where the rows are words of +-c or of 0 and +-c."""
    matrix, rounding = as_matrix(points)
    placement = Placement("given points", recognised(_unit_directions(matrix) if normalize else matrix, rounding))
    return SphericalCode(placement, certified(placement, None, progress), None)


def recognised(points: Points, rounding: float = FLOAT64_ROUNDING) -> Structure:
    """Somebody's points, as exact as they allow: words of +-c are packed, words of 0, +-c put on a grid.

    Rows must be unit vectors up to rounding, which is taken out; `rounding` is that of the numbers they were kept in.
    """
    require_unit_rows(points)
    size = float(np.max(np.abs(points)))
    off = np.minimum(np.abs(points), np.abs(np.abs(points) - size)) > rounding * size
    nonzero = round(1 / size**2)
    if off.any() or abs(nonzero * size**2 - 1) > 4 * rounding:
        return Plain(normalized(points))
    if nonzero == points.shape[1]:
        return SignWords(nonzero, np.packbits(points > 0, axis=1))
    exact = normalized(np.sign(np.where(np.abs(points) > size / 2, points, 0.0)))
    return Plain(exact, Fraction(1, nonzero))


def as_matrix(points: Any) -> tuple[Points, float]:
    """`points` as a new float64 array, and the rounding of the numbers they were kept in."""
    try:
        raw: NDArray[Any] = _as_array(points)
        if raw.dtype.kind not in "biuf":
            raise TypeError(f"entries of type {raw.dtype}")
        return raw.astype(np.float64), FLOAT32_ROUNDING if raw.dtype == np.float32 else FLOAT64_ROUNDING
    except (TypeError, ValueError, RuntimeError) as error:
        reason = str(error).splitlines()[0]
        raise InvalidArgumentError(
            f"'points' must be a matrix of real numbers, one prototype a row: {reason}"
        ) from error


def _as_array(points: Any) -> NDArray[Any]:
    """A numpy array of anything that holds numbers; of torch tensors on whatever device, short floats widened."""
    if not hasattr(points, "detach"):
        return np.asarray(points)
    tensor = points.detach().cpu()
    if tensor.is_floating_point() and tensor.element_size() < 4:
        tensor = tensor.float()
    return tensor.numpy()


def read_points(path: Path) -> NDArray[Any]:
    """The matrix in a .npy, .csv or .txt file. Pickled arrays are refused."""
    ending = path.suffix.lower()
    if ending not in READABLE:
        raise StorageError(f"cannot read '{path}': its name must end in one of {', '.join(READABLE)}")
    if not path.is_file():
        raise StorageError(f"cannot read '{path}': {'it is a folder' if path.is_dir() else 'there is no such file'}")
    if path.stat().st_size == 0:
        raise StorageError(f"cannot read '{path}': it is empty")
    try:
        if ending == ".npy":
            with path.open("rb") as file:
                return np.load(file, allow_pickle=False)
        return np.loadtxt(path, delimiter="," if ending == ".csv" else None, ndmin=2)
    except Exception as error:  # numpy's parsers raise anything from TokenError to BadZipFile on a foreign file
        raise StorageError(f"cannot read '{path}': {str(error).splitlines()[0] or type(error).__name__}") from error


def _unit_directions(points: Points) -> Points:
    """Rows divided by their norms; a row of zeros has no direction."""
    if points.ndim == 2:
        zero = ~np.any(points, axis=1)
        if zero.any():
            raise InvalidArgumentError(
                f"'points' must have non-zero rows to normalise, got zeros in row {zero.argmax()}"
            )
    return normalized(points) if points.ndim == 2 and points.size else points
