"""Class similarity from the features of a network: the cosines between the mean features of the classes."""

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from protosphere.assignment.similarity import as_array, similarity_from_embeddings
from protosphere.errors import InvalidArgumentError
from protosphere.storage.npz import read_arrays
from protosphere.types import Points

NUMBER_KINDS = "biuf"
"""Kinds of numpy types that are numbers: booleans, integers and floats."""


def similarity_from_features(
    source: Any, labels: Any = None, *, num_classes: int | None = None
) -> Points:
    """Return the cosines between the mean features of classes, after the mean of all class means is subtracted.

    Args:
        source: If `labels` is given, the features, one image per row. Otherwise the path of an .npz file, or a mapping,
            with the arrays `x_train` (features) and `y_train` (labels). The file or mapping may also have an array
            `step`, which is a single number, or has one number for each column of the features. The features are
            multiplied by these numbers.
        labels: The class of each row of features, an integer from 0 to K - 1. It is None if `source` is a file or
            mapping.
        num_classes: Number K of classes. If it is None, K is one more than the largest label. Every class needs at
            least one row.

    Returns:
        The K x K similarity matrix. Entry (i, j) belongs to the classes i and j.

    Raises:
        InvalidArgumentError: If shapes or types are not valid, or if a class has no row.
        StorageError: If the file cannot be read.

    Example:
        >>> similarity_from_features([[2.0, 0.0], [0.0, 2.0], [-1.0, -1.0]], labels=[0, 1, 2]).round(2).tolist()
        [[1.0, -0.38, -0.55], [-0.38, 1.0, -0.55], [-0.55, -0.55, 1.0]]
    """
    if labels is not None:
        features = as_array(source)
        classes = as_array(labels)
    elif isinstance(source, Mapping):
        arrays = cast("Mapping[str, Any]", source)
        features, classes = _scaled_features_and_labels(arrays, "the mapping")
    elif not isinstance(source, (str, PathLike)):
        raise InvalidArgumentError(
            f"'labels' must be given if 'source' is an array of features, got {type(source).__name__} without labels"
        )
    else:
        path = Path(cast("str | PathLike[str]", source))
        arrays = read_arrays(path, ("x_train", "y_train", "step"))
        features, classes = _scaled_features_and_labels(arrays, str(path))
    return similarity_from_embeddings(class_means(features, classes, num_classes))


def class_means(
    features: NDArray[Any], labels: NDArray[Any], num_classes: int | None = None
) -> Points:
    """Return, for each class, the mean of the rows of features of the class.

    Args:
        features: N x d matrix of features.
        labels: The class of each of the N rows, an integer from 0 to K - 1.
        num_classes: Number K of classes. If it is None, K is one more than the largest label.

    Returns:
        K x d matrix in float64. Row i is the mean of class i.

    Raises:
        InvalidArgumentError: If shapes or types are not valid, a class has no row, or a mean is not finite.
    """
    _check_shapes(features, labels)
    classes, starts, counts = np.unique(
        np.sort(labels), return_index=True, return_counts=True
    )
    K = int(classes[-1]) + 1 if num_classes is None else num_classes
    _check_classes(classes, K)
    sorted_features = features[np.argsort(labels, kind="stable")]
    with np.errstate(invalid="ignore", over="ignore"):  # refused below
        sums = np.add.reduceat(sorted_features, starts, axis=0, dtype=np.float64)
        means = sums / counts[:, None]
    if not np.isfinite(means).all():
        raise InvalidArgumentError(
            "'features' must have finite means, got NaN or infinity among them"
        )
    return means


def _check_shapes(features: NDArray[Any], labels: NDArray[Any]) -> None:
    if features.ndim != 2 or labels.shape != features.shape[:1] or not len(labels):
        shapes = f"{features.shape} and {labels.shape}"
        raise InvalidArgumentError(
            f"'features' must be one image per row and 'labels' its class, got {shapes}"
        )
    if labels.dtype.kind in "OSUT":
        raise InvalidArgumentError(
            "'labels' must be classes 0, 1, 2, ..., got text or objects; "
            "np.unique(labels, return_inverse=True)[1] numbers the classes in sorted order"
        )
    if labels.dtype.kind not in "iu" or labels.min() < 0:
        raise InvalidArgumentError(
            f"'labels' must be classes 0, 1, 2, ..., got {labels.dtype} from {labels.min()}"
        )


def _check_classes(classes: NDArray[Any], num_classes: int) -> None:
    largest = classes[-1]
    if len(classes) == num_classes and largest == num_classes - 1:
        return
    if largest < num_classes:
        missing = _first_missing(classes)
        found = f"no image of class {missing}"
    else:
        found = f"class {largest}"
    raise InvalidArgumentError(
        f"'labels' must have every class of 0, ..., {num_classes - 1}, and no other, got {found}"
    )


def _first_missing(classes: NDArray[Any]) -> int:
    for number, present in enumerate(classes):
        if present != number:
            return number
    return len(classes)


def _scaled_features_and_labels(
    arrays: Mapping[str, Any], where: str
) -> tuple[NDArray[Any], NDArray[Any]]:
    for name in ("x_train", "y_train"):
        if name not in arrays:
            raise InvalidArgumentError(
                f"{where} has no array '{name}'; features need 'x_train' and 'y_train'"
            )
    features = as_array(arrays["x_train"])
    labels = as_array(arrays["y_train"])
    is_number = features.dtype.kind in NUMBER_KINDS
    if not is_number or not features.size or not features.ndim:
        found = f"{features.dtype} of shape {features.shape}"
        raise InvalidArgumentError(
            f"{where} must have numbers in 'x_train', one image per row, got {found}"
        )
    features = features.reshape(len(features), -1)
    if "step" not in arrays:
        return features, labels
    step = as_array(arrays["step"])
    is_number = step.dtype.kind in NUMBER_KINDS
    if not is_number or step.shape not in ((), features.shape[1:]):
        raise InvalidArgumentError(
            f"{where} must have one number per column in 'step', got shape {step.shape}"
        )
    with np.errstate(invalid="ignore", over="ignore"):  # refused with the means
        return features * step, labels
