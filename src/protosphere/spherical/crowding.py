"""Test whether a dimension is too small for a number of classes whose prototypes are assigned arbitrarily."""

import math

FEW_FEATURES = 128
"""Assumed number of features before the last linear map of a network; most networks have more."""

HELP = (
    "make prototypes of one vector per class, such as class means, with ps.from_embeddings(vectors, dim=...), or of "
    "the parts that classes are made of with ps.compose(table)"
)
"""Advice on which functions to call if there are too many classes for the dimension."""


def is_crowded(num_classes: int, dim: int) -> bool:
    """Return whether K classes are too many for a linear layer to learn arbitrarily assigned prototypes in R^n.

    Arbitrarily assigned prototypes have no relation to the features of their classes. The layer is assumed to have F =
    max(n, 128) input features. The result is True if F n < 2 K ln K.

    Args:
        num_classes: Number K of classes.
        dim: Dimension n.

    >>> is_crowded(2000, 128), is_crowded(2000, 512), is_crowded(100, 16)
    (True, False, False)
    """
    # The layer is fitted by least squares, and the prototypes have no relation to the features of their classes. The
    # output of the layer for a class is then the sum of two vectors: a signal, which is F / K times the prototype of
    # the class, and noise. The component of the noise along any other prototype has variance F / (K n). If F n > 2 K ln
    # K, the signal is likely to be larger than all of these components. Measured accuracies of trained layers agree
    # (benchmarks/many_classes.py). They are 15 to 31% if F n is half of 2 K ln K, 59 to 86% if F n equals 2 K ln K, and
    # 97 to 99.9% if F n is twice 2 K ln K.
    return dim * max(dim, FEW_FEATURES) < 2 * num_classes * math.log(num_classes)


def least_roomy_dim(num_classes: int) -> int:
    """Return the smallest dimension in which a linear layer can learn arbitrarily assigned prototypes of the classes.

    This is the smallest n with F n >= 2 K ln K, where F = max(n, 128) is the assumed number of input features of the
    layer.

    Args:
        num_classes: Number K of classes.
    """
    needed = 2 * num_classes * math.log(num_classes)
    return math.ceil(
        max(needed / FEW_FEATURES, 1) if needed < FEW_FEATURES**2 else math.sqrt(needed)
    )


def crowding_advice(num_classes: int, dim: int) -> str:
    """Return the text of a warning that the dimension is too small for the number of classes.

    The text also gives advice. For example, it names the smallest dimension in which a linear layer can learn
    arbitrarily assigned prototypes.

    Args:
        num_classes: Number K of classes.
        dim: Dimension n.
    """
    return (
        f"{num_classes:,} classes are many for {dim} dimensions: a network that ends in a linear map may not reach "
        f"prototypes that say nothing about their classes. Give 'dim' of at least {least_roomy_dim(num_classes):,}, or "
        f"{HELP}; see docs/studies/head-costs.md"
    )
