"""The projection head that maps a backbone's features to embeddings, which are compared with the prototypes."""

from torch import nn


def build_projector(feature_dim: int, dim: int) -> nn.Sequential:
    """Return a projection head: batch normalization, a ReLU, and a linear map to R^n.

    Args:
        feature_dim: Number of features.
        dim: Dimension n of the embeddings.
    """
    return nn.Sequential(
        nn.BatchNorm1d(feature_dim), nn.ReLU(), nn.Linear(feature_dim, dim)
    )
