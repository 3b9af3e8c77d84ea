"""The projection head between a backbone's features and the embeddings that are compared with prototypes."""

from torch import nn


def build_projector(feature_dim: int, dim: int) -> nn.Sequential:
    """Return a projection head from features to R^n: batch normalization, a ReLU and a linear map.

    Args:
        feature_dim: Number of features.
        dim: Dimension n of the embeddings.
    """
    return nn.Sequential(
        nn.BatchNorm1d(feature_dim), nn.ReLU(), nn.Linear(feature_dim, dim)
    )
