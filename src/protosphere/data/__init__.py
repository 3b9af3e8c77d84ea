"""Labelled images: readers of the usual formats, and augmentation that is batched (`protosphere.data.augmentation`)."""

from protosphere.data.dataset import Dataset
from protosphere.data.loading import DATASETS, NUM_CLASSES, load_dataset

__all__ = ["DATASETS", "NUM_CLASSES", "Dataset", "load_dataset"]
