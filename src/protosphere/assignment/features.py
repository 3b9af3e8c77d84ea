"""How similar classes are to a network: the means of their features, compared."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from protosphere.assignment.similarity import as_array, similarity_from_embeddings
from protosphere.errors import InvalidArgumentError
from protosphere.storage.npz import read_arrays
from protosphere.types import Points


def similarity_from_features(
    source: Any, labels: Any = None, *, num_classes: int | None = None
) -> Points:
    """Cosines of the classes' mean features, after the mean of these means is taken out.

    Args:
        source: the path of an .npz file with x_train and y_train, or a mapping of such arrays, and perhaps `step`, by
            which columns of integers are to be multiplied; or, with `labels`, the features, one image a row.
        labels: the class of each row.
        num_classes: K; by default one more than the largest label. Every class needs at least one row.
    """
    return similarity_from_embeddings(
        class_means(*_arrays(source, labels), num_classes)
    )


def class_means(
    features: NDArray[Any], labels: NDArray[Any], num_classes: int | None = None
) -> Points:
    """The mean row of each class, K x d in float64."""
    if features.ndim != 2 or labels.shape != features.shape[:1] or not len(labels):
        shapes = f"{features.shape} and {labels.shape}"
        raise InvalidArgumentError(
            f"'features' must be one image a row and 'labels' its class, got {shapes}"
        )
    if labels.dtype.kind not in "iu" or labels.min() < 0:
        raise InvalidArgumentError(
            f"'labels' must be classes 0, 1, 2, ..., got {labels.dtype} from {labels.min()}"
        )
    classes, starts, counts = np.unique(
        np.sort(labels), return_index=True, return_counts=True
    )
    K = int(classes[-1]) + 1 if num_classes is None else num_classes
    if len(classes) != K or classes[-1] != K - 1:
        absent = next(
            (number for number, one in enumerate(classes) if one != number),
            len(classes),
        )
        if classes[-1] < K:
            found = f"no image of class {absent}"
        else:
            found = f"class {classes[-1]}"
        raise InvalidArgumentError(
            f"'labels' must have every class of 0, ..., {K - 1}, and no other, got {found}"
        )
    ranked = features[np.argsort(labels, kind="stable")]
    with np.errstate(invalid="ignore", over="ignore"):  # found below
        means = (
            np.add.reduceat(ranked, starts, axis=0, dtype=np.float64) / counts[:, None]
        )
    if not np.isfinite(means).all():
        raise InvalidArgumentError(
            "'features' must have finite means, got NaN or infinity among them"
        )
    return means


def _arrays(source: Any, labels: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    if labels is not None:
        return as_array(source), as_array(labels)
    if isinstance(source, Mapping):
        return _scaled(cast("Mapping[str, Any]", source), "the mapping")
    path = Path(source)
    return _scaled(read_arrays(path, ("x_train", "y_train", "step")), str(path))


def _scaled(arrays: Mapping[str, Any], where: str) -> tuple[NDArray[Any], NDArray[Any]]:
    for name in ("x_train", "y_train"):
        if name not in arrays:
            raise InvalidArgumentError(
                f"{where} has no array '{name}'; features need 'x_train' and 'y_train'"
            )
    features, labels, step = (
        as_array(arrays.get(name, 1.0)) for name in ("x_train", "y_train", "step")
    )
    if features.dtype.kind not in "biuf" or not features.size or not features.ndim:
        found = f"{features.dtype} of shape {features.shape}"
        raise InvalidArgumentError(
            f"{where} must have numbers in 'x_train', one image a row, got {found}"
        )
    features = features.reshape(len(features), -1)
    if step.dtype.kind not in "biuf" or step.shape not in ((), features.shape[1:]):
        raise InvalidArgumentError(
            f"{where} must have one number per column in 'step', got shape {step.shape}"
        )
    with np.errstate(
        invalid="ignore", over="ignore"
    ):  # means that are none are refused
        return (features * step if "step" in arrays else features), labels
