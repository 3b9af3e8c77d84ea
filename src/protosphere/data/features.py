"""Features of real images by a real network: EfficientNet-Lite0's, of CIFAR-100 and CIFAR-10.

The first 512 principal components of its 1,280 penultimate features as int8, one step a column. The network has seen
most of the classes in ImageNet. `protosphere features` makes such files with any network.
"""

from dataclasses import replace
from pathlib import Path

from protosphere.assignment import taxonomy
from protosphere.data.dataset import Dataset
from protosphere.data.npz import read_npz
from protosphere.data.registry import RemoteFile, dataset


@dataset(
    "cifar100-features",
    100,
    files=(RemoteFile("cifar100_efficientnet_lite0.npz", "", ""),),
    folder="features",
    features=True,
    summary="60,000 vectors of 512 features, of CIFAR-100's images",
)
def read_cifar100_features(files: tuple[Path, ...]) -> Dataset:
    """Those of CIFAR-100, images in their order."""
    return replace(read_npz(files[0]), name="cifar100-features", class_names=taxonomy("cifar100_superclasses").classes)


@dataset(
    "cifar10-features",
    10,
    files=(RemoteFile("cifar10_efficientnet_lite0.npz", "", ""),),
    folder="features",
    features=True,
    summary="20,000 vectors of 512 features, of CIFAR-10's images",
)
def read_cifar10_features(files: tuple[Path, ...]) -> Dataset:
    """Those of 10,000 training images of CIFAR-10 and of its test images."""
    return replace(read_npz(files[0]), name="cifar10-features")
