"""Similarity of classes as a K x K matrix, which is checked, or computed from embeddings, confusions or names."""

from base64 import b64decode, b64encode
from collections.abc import Callable, Sequence
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from protosphere.assignment.taxonomy import SHIPPED, taxonomy
from protosphere.errors import InvalidArgumentError, as_choice, brief
from protosphere.storage.files import reason
from protosphere.types import Points

MAX_ASYMMETRY = 1e-6
"""A matrix counts as symmetric if entries (i, j) and (j, i) differ by at most this number times its largest entry."""

BLOCK_ROWS = 1024

MAX_ENTRY = 1e100
"""Largest entry of a similarity, chosen so that sums over all pairs of classes and squares of such sums are finite."""

TEXT_PREFIX = "upper triangle "
"""Beginning of the text that `similarity_text` writes."""

MIN_RELATIVE_NORM = 1e-12
"""A vector minus the mean vector counts as zero if its norm is at most this number times the largest of these norms."""


def as_similarity(given: Any, num_classes: int | None = None) -> Points:
    """Check a similarity and return it as a symmetric float64 matrix.

    Args:
        given: The similarity in one of these forms: a symmetric matrix of finite numbers; a `Taxonomy` or another
            object with a method `similarity()` that returns such a matrix; a text that `similarity_text` returned; or
            the name of a tree of CIFAR-100 in the package, 'cifar100_superclasses' or 'cifar100_levels'.
        num_classes: Required number K of classes. If it is None, any number of at least 2 is accepted.

    Returns:
        The K x K matrix, whose entry (i, j) is the similarity of classes i and j.

    Raises:
        InvalidArgumentError: If `given` has none of these forms, or if the matrix is not symmetric, has an entry that
            is not finite or whose absolute value is above 1e100, or does not have `num_classes` rows.
    """
    if isinstance(given, str):
        given = _read_text(given)
    if callable(getattr(given, "similarity", None)):
        given = given.similarity()
    matrix = real_matrix(given, "similarity")
    _check_shape(matrix, num_classes)
    largest = float(max(matrix.max(), -matrix.min()))
    if largest > MAX_ENTRY:
        raise InvalidArgumentError(
            f"'similarity' must have entries up to {MAX_ENTRY:g}, got {largest:g}; divide by that"
        )
    row, column, difference = _largest_asymmetry(matrix)
    if difference > MAX_ASYMMETRY * max(largest, 1e-300):
        one = f"{matrix[row, column]:.6g} at ({row}, {column})"
        other = f"{matrix[column, row]:.6g} at ({column}, {row})"
        raise InvalidArgumentError(
            f"'similarity' must be symmetric, got {one} and {other}; (S + S.T) / 2 is"
        )
    if difference:
        return matrix / 2 + matrix.T / 2
    return matrix


def _check_shape(matrix: Points, num_classes: int | None) -> None:
    if matrix.shape[0] != matrix.shape[1]:
        hint = "similarity_from_embeddings makes a similarity of one vector per class"
        raise InvalidArgumentError(
            f"'similarity' must be square, K x K, got {_shape(matrix)}; {hint}"
        )
    if num_classes is not None and len(matrix) != num_classes:
        raise InvalidArgumentError(
            f"'similarity' must be {num_classes} x {num_classes}, one row per class, got {_shape(matrix)}"
        )


def similarity_text(given: Any) -> str:
    """Return a similarity matrix as text that `as_similarity` reads.

    The text has the exact entries above the diagonal. The entries on the diagonal are not stored, and `as_similarity`
    sets them to 1.

    Args:
        given: A symmetric K x K matrix, or a `Taxonomy` or another object with a method `similarity()`. Text is
            returned unchanged.

    Returns:
        The text, without line breaks.

    Raises:
        InvalidArgumentError: If `given` is not one of these, or its matrix is not symmetric or not finite.
    """
    if isinstance(given, str):
        return given
    matrix = as_similarity(given)
    above_diagonal = np.triu_indices(len(matrix), 1)
    content = matrix[above_diagonal].astype("<f8").tobytes()
    return TEXT_PREFIX + b64encode(content).decode()


def _read_text(text: str) -> Any:
    if not text.startswith(TEXT_PREFIX):  # the name of a shipped tree
        return taxonomy(as_choice("similarity", text, SHIPPED))
    try:
        content = b64decode(text.removeprefix(TEXT_PREFIX), validate=True)
        entries = np.frombuffer(content, dtype="<f8")
        K = (1 + isqrt(1 + 8 * len(entries))) // 2
        matrix = np.eye(K)
        matrix[np.triu_indices(K, 1)] = entries.reshape(K * (K - 1) // 2)
    except ValueError as error:
        raise InvalidArgumentError(
            f"'similarity' must be what 'similarity_text' wrote, got {brief(text)}"
        ) from error
    return np.triu(matrix) + np.triu(matrix, 1).T


def as_array(given: Any) -> NDArray[Any]:
    """Convert an object that holds numbers, such as a torch tensor on any device, to a numpy array."""
    if not hasattr(given, "detach"):
        return np.asarray(given)
    tensor = given.detach().cpu()
    try:
        return np.asarray(tensor.numpy())
    except TypeError:
        # numpy has no bfloat16 and no float8; float32 holds both exactly.
        return np.asarray(tensor.float().numpy())


def real_matrix(given: Any, name: str, least_rows: int = 2) -> Points:
    """Check a matrix of finite numbers and return it in float64.

    Args:
        given: Matrix of numbers, such as an array, a tensor or a list of rows.
        name: Name of the matrix in error messages.
        least_rows: Smallest number of rows: 2 if the rows are classes, 1 if the rows are images.

    Returns:
        The matrix.

    Raises:
        InvalidArgumentError: If `given` is not a matrix of finite numbers with enough rows.
    """
    try:
        matrix = as_array(given)
        if matrix.dtype.kind not in "biuf":
            raise ValueError(f"entries of type {matrix.dtype}")
        matrix = matrix.astype(np.float64)
    except ValueError as error:
        raise InvalidArgumentError(
            f"'{name}' must be a matrix of real numbers: {reason(error)}"
        ) from error
    if matrix.ndim != 2 or len(matrix) < least_rows or matrix.shape[1] < 1:
        if least_rows == 2:
            rows = "at least two rows, one per class"
        else:
            rows = "a row per image"
        raise InvalidArgumentError(
            f"'{name}' must be a matrix with {rows}, got {_shape(matrix)}"
        )
    is_finite = np.isfinite(matrix).all(axis=1)
    if not is_finite.all():
        first = int(np.argmin(is_finite))
        raise InvalidArgumentError(
            f"'{name}' must be finite, got NaN or infinity in row {first}"
        )
    return matrix


def similarity_from_embeddings(embeddings: Any) -> Points:
    """Return the cosines between the vectors of classes, after the mean of all vectors is subtracted from each vector.

    Args:
        embeddings: K x d matrix. Row i is the vector of class i.

    Returns:
        The K x K similarity, with ones on the diagonal. A vector that equals the mean has the similarity 0 to all
        others.

    Raises:
        InvalidArgumentError: If `embeddings` is not a matrix of finite numbers with at least two rows.

    Example:
        >>> similarity_from_embeddings([[1, 0], [0, 1], [-1, -1]]).round(2).tolist()
        [[1.0, 0.0, -0.71], [0.0, 1.0, -0.71], [-0.71, -0.71, 1.0]]
    """
    vectors = _scaled_to_one(real_matrix(embeddings, "embeddings"))
    centered = vectors - vectors.mean(axis=0)
    norms = np.linalg.norm(centered, axis=1)
    smallest = MIN_RELATIVE_NORM * max(1e-300, float(norms.max()))
    divisors = np.where(norms > smallest, norms, np.inf)
    units = centered / divisors[:, None]
    cosines = units @ units.T
    np.fill_diagonal(cosines, 1.0)
    return cosines


def similarity_from_confusion(confusion: Any) -> Points:
    """Return the Bhattacharyya coefficient of each pair of rows of a confusion matrix.

    The coefficient of classes i and j is the sum over k of sqrt(p_ik p_jk), where p_ik is the fraction of images of
    class i that are predicted as class k. It is large if images of both classes are predicted as the same classes.

    Args:
        confusion: K x K counts or rates: a row for each true class and a column for each predicted class.

    Returns:
        The K x K similarity, from 0 to 1.

    Raises:
        InvalidArgumentError: If the matrix is not square, has a negative entry or an empty row.

    Example:
        >>> similarity_from_confusion([[8, 2, 0], [2, 8, 0], [0, 0, 10]]).round(2).tolist()
        [[1.0, 0.8, 0.0], [0.8, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    counts = real_matrix(confusion, "confusion")
    if counts.shape[0] != counts.shape[1]:
        raise InvalidArgumentError(
            f"'confusion' must be square, K x K, got {_shape(counts)}"
        )
    if counts.min() < 0:
        raise InvalidArgumentError(
            f"'confusion' must not be negative, got {counts.min():g}"
        )
    counts = _scaled_to_one(counts)
    totals = counts.sum(axis=1)
    if not totals.all():
        empty = int(np.argmin(totals))
        raise InvalidArgumentError(
            f"'confusion' must have counts in every row, got none in row {empty}"
        )
    roots = np.sqrt(counts / totals[:, None])
    return np.minimum(roots @ roots.T, 1.0)


def similarity_from_names(
    names: Sequence[str],
    *,
    embed: Callable[[str], Any] | None = None,
    compare: Callable[[str, str], float] | None = None,
) -> Points:
    """Return the similarity of classes by their names, computed by a function that the caller gives.

    Exactly one of `embed` and `compare` must be given.

    Args:
        names: Names of the K classes.
        embed: Function that returns the vector of a name. The similarity of two classes is then the cosine of their
            vectors, after the mean of all vectors is subtracted.
        compare: Function that returns the similarity of two names. It must not depend on their order.

    Returns:
        The K x K similarity.

    Raises:
        InvalidArgumentError: If both functions or neither are given, if `embed` has no vector for a name or returns
            vectors with different numbers of entries, or if `compare` is not symmetric.

    Example:
        >>> similarity_from_names(["cat", "car", "dog"], compare=lambda a, b: len(set(a) & set(b))).tolist()
        [[3.0, 2.0, 0.0], [2.0, 3.0, 0.0], [0.0, 0.0, 3.0]]
    """
    if embed is not None and compare is None:
        vectors = [_vector_of(name, embed) for name in names]
        _check_equal_lengths(names, vectors)
        return similarity_from_embeddings(np.stack(vectors))
    if compare is not None and embed is None:
        return as_similarity([[float(compare(a, b)) for b in names] for a in names])
    raise InvalidArgumentError(
        "similarity_from_names needs either 'embed' or 'compare', got both or neither"
    )


def _vector_of(name: str, embed: Callable[[str], Any]) -> Points:
    try:
        return np.asarray(embed(name), dtype=np.float64).ravel()
    except LookupError as error:
        raise InvalidArgumentError(
            f"'embed' has no vector for the class {brief(name)}"
        ) from error


def _check_equal_lengths(names: Sequence[str], vectors: Sequence[Points]) -> None:
    for name, vector in zip(names, vectors, strict=True):
        if len(vector) != len(vectors[0]):
            raise InvalidArgumentError(
                f"'embed' must return vectors of one length, got {len(vectors[0])} numbers for {brief(names[0])} "
                f"and {len(vector)} for {brief(name)}; it is called with one name at a time"
            )


def _scaled_to_one(matrix: Points) -> Points:
    # a power of two, so that no entry is rounded; squares of entries of at most 1 do not overflow
    exponent = np.frexp(np.abs(matrix).max())[1]
    return np.ldexp(matrix, -exponent)


def _largest_asymmetry(matrix: Points) -> tuple[int, int, float]:
    largest = (0, 0, 0.0)
    for start in range(0, len(matrix), BLOCK_ROWS):
        stop = start + BLOCK_ROWS
        with np.errstate(over="ignore"):  # an infinite difference is refused
            difference = np.abs(matrix[start:stop] - matrix[:, start:stop].T)
        row, column = divmod(int(np.argmax(difference)), len(matrix))
        size = float(difference[row, column])
        if size > largest[2]:
            largest = (start + row, column, size)
    return largest


def _shape(matrix: NDArray[Any]) -> str:
    return " x ".join(map(str, matrix.shape)) or "a single number"
