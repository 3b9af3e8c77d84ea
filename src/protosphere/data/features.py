"""The datasets of CIFAR-100 and CIFAR-10 features, computed by EfficientNet-Lite0.

The features are the first 512 principal components of the network's 1,280 penultimate features, stored as int8 with one
step size per column. The network was pretrained on ImageNet, which contains most of the classes of CIFAR. The command
`protosphere features` computes a file of features with any network.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from protosphere.assignment import taxonomy
from protosphere.data.dataset import Dataset
from protosphere.data.npz_dataset import read_npz
from protosphere.data.registry import Reader, RemoteFile, dataset


def _features_of(
    name: str, num_classes: int, summary: str
) -> Callable[[Reader], Reader]:
    files = (RemoteFile(f"{name}_efficientnet_lite0.npz", "", ""),)
    return dataset(
        f"{name}-features",
        num_classes,
        files=files,
        folder="features",
        features=True,
        summary=summary,
    )


@_features_of("cifar100", 100, "60,000 vectors of 512 features, of CIFAR-100's images")
def read_cifar100_features(files: tuple[Path, ...]) -> Dataset:
    """Return the dataset of the features of all 60,000 CIFAR-100 images, in the order of the images.

    Args:
        files: A tuple that contains only the path of the .npz file.
    """
    return replace(
        read_npz(files[0]),
        name="cifar100-features",
        class_names=taxonomy("cifar100_superclasses").classes,
    )


@_features_of("cifar10", 10, "20,000 vectors of 512 features, of CIFAR-10's images")
def read_cifar10_features(files: tuple[Path, ...]) -> Dataset:
    """Return the dataset of the features of 10,000 training images and all 10,000 test images of CIFAR-10.

    Args:
        files: A tuple that contains only the path of the .npz file.
    """
    return replace(read_npz(files[0]), name="cifar10-features")
