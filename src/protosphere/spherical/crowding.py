"""Test whether there are too many classes for a dimension, if prototypes are unrelated to their classes."""

import math

FEW_FEATURES = 128
"""Number of features that a network is assumed to have before its last linear map; most have more."""

HELP = (
    "make prototypes of one vector per class, such as class means, with ps.from_embeddings(vectors, dim=...), or of "
    "the parts that classes are made of with ps.compose(table)"
)
"""Advice on which functions to call if there are too many classes for the dimension."""


def is_crowded(num_classes: int, dim: int) -> bool:
    """Return whether there are too many classes for a linear map to learn prototypes unrelated to them.

    The map is assumed to have F = max(n, `FEW_FEATURES`) features. A least-squares map from F features to unrelated
    prototypes keeps a signal of F / K of each prototype and adds noise of variance F / (K n) along every other one.
    The largest of K such noises stays below the signal if F n is above 2 K ln K. Trained maps agree
    (benchmarks/many_classes.py): they reach 15 to 31% accuracy if F n is half of 2 K ln K, 59 to 86% if it equals
    that value and 97 to 99.9% if it is twice that value.

    Args:
        num_classes: Number K of classes.
        dim: Dimension n.

    >>> is_crowded(2000, 128), is_crowded(2000, 512), is_crowded(100, 16)
    (True, False, False)
    """
    return dim * max(dim, FEW_FEATURES) < 2 * num_classes * math.log(num_classes)


def least_roomy_dim(num_classes: int) -> int:
    """Return the smallest dimension in which this number of classes is not crowded, as defined by `is_crowded`."""
    needed = 2 * num_classes * math.log(num_classes)
    return math.ceil(
        max(needed / FEW_FEATURES, 1) if needed < FEW_FEATURES**2 else math.sqrt(needed)
    )


def crowding_advice(num_classes: int, dim: int) -> str:
    """Return a text that says that there are too many classes for the dimension, and what to do about it.

    Args:
        num_classes: Number K of classes.
        dim: Dimension n.
    """
    return (
        f"{num_classes:,} classes are many for {dim} dimensions: a network that ends in a linear map may not reach "
        f"prototypes that say nothing about their classes. Give 'dim' of at least {least_roomy_dim(num_classes):,}, or "
        f"{HELP}; see docs/studies/head-costs.md"
    )
