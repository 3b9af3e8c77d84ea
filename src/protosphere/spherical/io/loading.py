"""Read codes and points from files, arrays and tensors.

A code is a set of unit vectors (points) with a certificate, which states their maximum cosine. A certificate is
unverified if its maximum cosine was read from a file and not measured. A structure is the form in which points are
stored.
"""

from collections.abc import Generator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from protosphere.errors import (
    CertificateError,
    InvalidArgumentError,
    ProtosphereError,
    StorageError,
    brief,
)
from protosphere.geometry.sphere import normalized, require_unit_rows
from protosphere.spherical.certificate import certified, unverified
from protosphere.spherical.io import code_file, container
from protosphere.spherical.io.formats import read_points
from protosphere.spherical.placement import Placement
from protosphere.spherical.spherical_code import SphericalCode
from protosphere.spherical.structures import Plain, SignWords, Structure
from protosphere.spherical.structures.plain import equal_entries
from protosphere.storage.files import reason
from protosphere.types import Points, Progress, ignore


def is_code_file(source: object) -> bool:
    """Return whether `source` is a path that ends in .safetensors, as the paths of code files do."""
    if not isinstance(source, str | Path):
        return False
    return Path(source).suffix.lower() == ".safetensors"


@contextmanager
def opened_code(path: str | Path) -> Generator[SphericalCode]:
    """Return a context manager that yields the code of a .safetensors file that protosphere wrote.

    During the `with` block, another thread computes the digest of the file. At the end of the block, a StorageError is
    raised if this digest differs from the one that is stored in the file.

    Args:
        path: Path of the file.

    Yields:
        The code, with an unverified certificate. It has been checked that the content of the file is well-formed.

    Raises:
        StorageError: If the file is damaged or was not written by protosphere.
        CertificateError: If the `with` block raises a CertificateError. The name of the file is added to its message.
    """
    with container.opened(path) as (arrays, description):
        code = _read_code(path, arrays, description)
        try:
            yield code
        except CertificateError as error:
            raise CertificateError(f"'{path}' is not what it says: {error}") from error


def _read_code(
    path: str | Path, arrays: container.Arrays, description: dict[str, Any]
) -> SphericalCode:
    try:
        code_file.require_harmless(description)
        return code_from_parts(code_file.parts(arrays, description, complete=True))
    except ProtosphereError as error:
        raise StorageError(f"cannot read '{path}': {error}") from error
    except (
        KeyError,
        TypeError,
        ValueError,
        ArithmeticError,
        AttributeError,
    ) as error:
        cause = str(error)
        shown = brief(cause) if cause.isprintable() else type(error).__name__
        raise StorageError(
            f"cannot read '{path}': its description is incomplete ({shown})"
        ) from error


def code_from_parts(parts: code_file.Parts) -> SphericalCode:
    """Return the code that consists of the given parts, with its certificate marked as unverified.

    Args:
        parts: A tuple of four objects: the placement, which has the points; the certificate; the record of how the
            points were built, or None if there is none; and the record of how `ps.best` or `ps.assign` chose the code,
            or None if they did not choose it.
    """
    placement, claim, provenance, choice = parts
    return SphericalCode(placement, unverified(claim), provenance, choice)


NORMALIZE = (
    "divide each row by its norm first: pass normalize=True to ps.from_points or ps.certify, "
    "or --normalize to `protosphere certify`"
)
"""Part of an error message that says what to do with rows that are not unit vectors."""


def measured_points(
    points: Any, *, normalize: bool = False, progress: Progress = ignore
) -> SphericalCode:
    """Measure and certify points that are given as a matrix of unit rows, or as a file with such a matrix.

    Args:
        points: A matrix with a prototype per row, or the path of a .npy, .csv, .txt or .pt file.
        normalize: If True, each row is first divided by its norm, and any nonzero rows are allowed. If False, the rows
            must be unit vectors.
        progress: Function that is called with the name of the current stage, the number of finished steps and the
            number of all steps.

    Returns:
        A code without provenance.

    Raises:
        InvalidArgumentError: If `points` is not a matrix of finite numbers, or if its rows are not allowed.
        StorageError: If the file cannot be read.
    """
    if isinstance(points, str | Path):
        points = read_points(Path(points))
    matrix, lossless = as_matrix(points)
    if normalize:
        _require_directions(matrix)
    else:
        require_unit_rows(matrix, advice=NORMALIZE)
    structure = recognized(matrix) if lossless else Plain(normalized(matrix))
    placement = Placement("given points", structure)
    return SphericalCode(placement, certified(placement, None, progress), None)


def recognized(points: Points) -> Structure:
    """Return a structure that stores the given rows, divided by their norms.

    There are three cases. In the first two, certificates of the result are exact:

    - If the entries of each row are c or -c, with a number c > 0 that may differ from row to row, the rows are stored
      as packed signs.
    - If the entries of each row are 0, c or -c, and all rows have the same number m of nonzero entries, which is less
      than n, the rows are stored as a float64 matrix with the cosine step 1/m: all cosines are multiples of 1/m.
    - In all other cases, the rows are stored as a float64 matrix.

    Args:
        points: Nonzero vectors, as rows.
    """
    entries = equal_entries(points)
    if entries is None:
        return Plain(normalized(points))
    if entries == points.shape[1]:
        return SignWords(entries, np.packbits(points > 0, axis=1))
    return Plain(normalized(np.sign(points)), Fraction(1, entries))


def as_matrix(points: Any) -> tuple[Points, bool]:
    """Convert points on any device and of any real number type to a new float64 array.

    Integers with an absolute value above 2^53 and floats of more than 64 bits are rounded. Different numbers may become
    equal by this rounding.

    Args:
        points: An array, a tensor, or nested sequences of numbers.

    Returns:
        The array, and a bool. It is True if the conversion certainly left every number unchanged, otherwise False.

    Raises:
        InvalidArgumentError: If `points` is not an array of real numbers.
    """
    try:
        raw = _as_array(points)
    except (TypeError, ValueError, RuntimeError) as error:
        wanted = f"a matrix of real numbers, one prototype per row: {reason(error)}"
        raise InvalidArgumentError(f"'points' must be {wanted}") from error
    with np.errstate(over="ignore"):  # infinity, which is refused later
        matrix = raw.astype(np.float64)
    is_array = isinstance(points, np.ndarray) or hasattr(points, "detach")
    lossless = _is_lossless(raw, matrix) and (is_array or _are_small(matrix))
    return matrix, lossless


def _as_array(points: Any) -> NDArray[Any]:
    if hasattr(points, "detach"):
        points = points.detach().cpu()
        if points.is_floating_point():  # numpy has not all types of torch
            points = points.double()
    raw: NDArray[Any] = np.asarray(points)
    if raw.dtype.kind not in "biuf":
        raise TypeError(f"entries of type {raw.dtype}")
    return raw


def _is_lossless(raw: NDArray[Any], matrix: Points) -> bool:
    if raw.dtype.kind == "f":
        return raw.dtype.itemsize <= 8 or bool(np.all(raw == matrix))
    return raw.dtype.itemsize < 8 or _are_small(matrix)


def _are_small(matrix: Points) -> bool:
    # a conversion to float64 does not round integers in this range
    return bool(np.all(np.abs(matrix) < 2.0**53))


def _require_directions(points: Points) -> None:
    if points.ndim != 2 or len(points) < 2 or not points.size:
        require_unit_rows(points)  # which says what is wrong with the shape
    infinite = ~np.isfinite(points).all(axis=1)
    zero = ~np.any(points, axis=1)
    for wrong, what in ((infinite, "NaN or infinity"), (zero, "zeros")):
        if wrong.any():
            raise InvalidArgumentError(
                f"'points' must have rows to normalize, got {what} in row {wrong.argmax()}"
            )
