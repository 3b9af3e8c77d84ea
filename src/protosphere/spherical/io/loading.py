"""Points that come from outside: arrays, tensors and files, read, checked and certified like our own."""

from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from protosphere.errors import InvalidArgumentError
from protosphere.geometry.sphere import normalized, require_unit_rows
from protosphere.spherical.certificate import Certificate, certified, certified_again
from protosphere.spherical.io import code_file as code_file
from protosphere.spherical.io.formats import read_points
from protosphere.spherical.placement import Placement
from protosphere.spherical.spherical_code import SphericalCode
from protosphere.spherical.structures import Plain, SignWords, Structure
from protosphere.spherical.structures.plain import equal_entries
from protosphere.storage.files import reason
from protosphere.types import Points, Progress, ignore


def measured_file(path: str | Path) -> SphericalCode:
    """The code saved in `path`, measured again where that is quick; `codes_from_files` proves more of it."""
    if _is_ours(Path(path)):
        return SphericalCode(*code_file.load(path))
    return measured_points(path)


def certified_code(code: SphericalCode, progress: Progress = ignore) -> Certificate:
    """The certificate of a code, measured anew."""
    return certified_again(code.placement, code.certificate, progress)


def measured_points(
    points: Any, *, normalize: bool = False, progress: Progress = ignore
) -> SphericalCode:
    """A certified code of a matrix of unit rows, or of a file of them; the public one is in `codes_from_files`."""
    if isinstance(points, str | Path):
        if _is_ours(Path(points)):
            return measured_file(points)
        points = read_points(Path(points))
    matrix, lossless = as_matrix(points)
    if normalize:
        _require_directions(matrix)
    else:
        require_unit_rows(matrix)
    placement = Placement(
        "given points", recognised(matrix) if lossless else Plain(normalized(matrix))
    )
    return SphericalCode(placement, certified(placement, None, progress), None)


def _is_ours(path: Path) -> bool:
    """By its name, or by its content: earlier versions wrote the same file under any name."""
    if path.suffix.lower() == ".safetensors":
        return True
    with suppress(OSError, ValueError):
        if path.is_file():
            with path.open("rb") as file:
                return file.read(9)[8:] == b"{"  # after the length of its header
    return False


def recognised(points: Points) -> Structure:
    """The directions of somebody's rows, as exact as their numbers are.

    Where the nonzero entries of each row are of one absolute value, and as many in each row, the directions are those
    of vectors of 0 and +-1: without zeros they are packed, with zeros their cosines are on a grid. No entry is rounded
    to another for that.
    """
    entries = equal_entries(points)
    if entries is None:
        return Plain(normalized(points))
    if entries == points.shape[1]:
        return SignWords(entries, np.packbits(points > 0, axis=1))
    return Plain(normalized(np.sign(points)), Fraction(1, entries))


def as_matrix(points: Any) -> tuple[Points, bool]:
    """`points`, on whatever device and of whatever real number type, as a new float64 array; and whether all are in it.

    Large integers and extended floats are rounded, which may make different numbers equal.
    """
    try:
        if hasattr(points, "detach"):
            points = points.detach().cpu()
            if points.is_floating_point():  # numpy has not all types of torch
                points = points.double()
        raw: NDArray[Any] = np.asarray(points)
        if raw.dtype.kind not in "biuf":
            raise TypeError(f"entries of type {raw.dtype}")
        with np.errstate(over="ignore"):  # infinity, which is refused
            matrix = raw.astype(np.float64)
        return matrix, _is_lossless(raw, matrix)
    except (TypeError, ValueError, RuntimeError) as error:
        wanted = f"a matrix of real numbers, one prototype per row: {reason(error)}"
        raise InvalidArgumentError(f"'points' must be {wanted}") from error


def _is_lossless(raw: NDArray[Any], matrix: Points) -> bool:
    """Whether every number is the same in float64."""
    if raw.dtype.kind == "f":
        return raw.dtype.itemsize <= 8 or bool(np.all(raw == matrix))
    return raw.dtype.itemsize < 8 or bool(np.all(np.abs(matrix) < 2.0**53))


def _require_directions(points: Points) -> None:
    """Raise unless `points` is a matrix whose rows have a direction, which rows of zeros and infinite ones lack."""
    if points.ndim != 2 or len(points) < 2 or not points.size:
        require_unit_rows(points)  # which says what is wrong with the shape
    for wrong, what in (
        (~np.isfinite(points).all(axis=1), "NaN or infinity"),
        (~np.any(points, axis=1), "zeros"),
    ):
        if wrong.any():
            raise InvalidArgumentError(
                f"'points' must have rows to normalise, got {what} in row {wrong.argmax()}"
            )
