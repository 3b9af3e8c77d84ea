"""Fixed prototypes of characters."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import normalize


def simplex(size: int) -> Tensor:
    """Return the vertices of a regular simplex in `size` - 1 dimensions as unit vectors, one per row."""
    centered = torch.eye(size, dtype=torch.float64) - 1 / size
    _, basis = torch.linalg.eigh(centered)
    return normalize(centered @ basis[:, 1:]).float()


def whitened_means(means: Tensor, dim: int, whiten: float = 1.0) -> Tensor:
    """Return prototypes computed from class means, as unit vectors.

    The means are centered and projected to their first `dim` principal components. Each component is divided by its
    standard deviation to the power `whiten`. Then the vectors are normalized.
    """
    centered = (means - means.mean(dim=0)).double()
    variances, axes = torch.linalg.eigh(centered.T @ centered / len(means))
    components = centered @ axes[:, -dim:]
    return normalize(components * variances[-dim:] ** (-whiten / 2)).float()
