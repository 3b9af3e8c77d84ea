"""Compute statistics of the prototypes of a run that may predict its accuracy. The record of the run contains them."""

import numpy as np

from protosphere.assignment import similarity_from_embeddings
from protosphere.assignment.features import class_means
from protosphere.data import Dataset
from protosphere.spherical.spherical_code import SphericalCode
from protosphere.spherical.statistics import code_statistics, confident_scale
from protosphere.statistics.regression import correlation

LARGEST_K = 2_048
"""Largest number of classes for which the statistics are computed; for more, they would take longer than an epoch."""


def code_metrics(code: SphericalCode, dataset: Dataset) -> dict[str, float]:
    """Return statistics of the prototypes of a run, by name.

    Four statistics are computed by `ps.code_statistics`:

    - `code_min_cosine` is the smallest cosine of two prototypes.
    - `code_antipodal_pairs` is the number of pairs with cosine -1.
    - `code_energy` is the mean over prototypes i of the sum over j != i of exp(s (cos(i, j) - 1)). The scale s is the
      one at which orthogonal prototypes are classified with probability 0.99. This scale depends only on K, so the
      values of different codes with K prototypes can be compared.
    - `code_mean_square` is the mean, over all pairs of prototypes, of the squared cosine.

    `code_agreement` says whether similar classes have nearby prototypes. It is the correlation, over all pairs of
    classes, of the cosine of the two prototypes and the cosine of the two class means. Before these cosines are
    computed, the mean of all class means is subtracted from each class mean. `code_agreement` is computed only if the
    inputs are features and each class has a prototype and training examples.

    Args:
        code: Prototypes of the run.
        dataset: Training and test examples of the run.

    Returns:
        The statistics that are finite, by name. The dictionary is empty for fewer than 3 or more than 2,048 prototypes.
    """
    K = code.num_classes
    if K > LARGEST_K or K < 3:
        return {}
    spread = code_statistics(code, confident_scale(K, 0.0))
    pairs = np.triu_indices(K, 1)
    cosines = (code.points @ code.points.T)[pairs]
    names = ("min_cosine", "antipodal_pairs", "energy", "mean_square")
    found = {f"code_{name}": float(getattr(spread, name)) for name in names}
    is_of_classes = dataset.is_features and dataset.num_classes == K
    if is_of_classes and np.bincount(dataset.y_train, minlength=K).min() > 0:
        means = class_means(dataset.x_train, dataset.y_train, K) * (
            1.0 if dataset.step is None else dataset.step
        )
        found["code_agreement"] = correlation(
            cosines, similarity_from_embeddings(means)[pairs]
        )
    return {name: value for name, value in found.items() if np.isfinite(value)}
