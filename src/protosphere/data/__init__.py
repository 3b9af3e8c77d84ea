"""Labeled datasets of images or features, and random transforms of images.

The module `protosphere.data.augmentation` has the transforms for training with labels. The module
`protosphere.data.views` has the transforms for self-supervised learning.
"""

from protosphere.data import (
    cifar,
    digits,
    features,
    mnist,
)  # importing each module registers its datasets
from protosphere.data.dataset import Dataset
from protosphere.data.dataset_loading import Facts, dataset_facts, load_dataset
from protosphere.data.registry import DATASETS

__all__ = [
    "DATASETS",
    "Dataset",
    "Facts",
    "cifar",
    "dataset_facts",
    "digits",
    "features",
    "load_dataset",
    "mnist",
]
