"""Fixed prototypes of the characters."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import normalize


def simplex(size: int) -> Tensor:
    """Return the vertices of a regular simplex in size - 1 dimensions, as unit rows."""
    centered = torch.eye(size, dtype=torch.float64) - 1 / size
    _, basis = torch.linalg.eigh(centered)
    return normalize(centered @ basis[:, 1:]).float()


def whitened_means(means: Tensor, dim: int, whiten: float = 1.0) -> Tensor:
    """Return class means centered, reduced to principal components, whitened and put on the sphere."""
    centered = (means - means.mean(dim=0)).double()
    variances, axes = torch.linalg.eigh(centered.T @ centered / len(means))
    components = centered @ axes[:, -dim:]
    return normalize(components * variances[-dim:] ** (-whiten / 2)).float()
