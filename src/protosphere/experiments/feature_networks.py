"""Load a feature extractor from an ONNX file, or as an nn.Module by its dotted import name."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from protosphere.backbones import imported
from protosphere.errors import InvalidArgumentError, brief
from protosphere.experiments.checkpoint import weights_digest
from protosphere.extras import require
from protosphere.storage.files import reading

ONNX_ENDING = ".onnx"
INPUT_TYPES = {
    "tensor(float)": np.float32,
    "tensor(float16)": np.float16,
    "tensor(double)": np.float64,
}


@dataclass(frozen=True)
class FeatureNetwork:
    """A feature extractor and its input format.

    Attributes:
        features: Function from preprocessed images, B x C x H x W, to B x D features.
        identity: Digest of the weights of an nn.Module, or of the bytes of an ONNX file. An interrupted extraction of
            features is continued only with a network that has the same digest.
        channels: Number of channels of the network's input images; None if unknown.
        size: Height and width of the network's input images; None if unknown.
    """

    features: Callable[[Tensor], Tensor]
    identity: str
    channels: int | None = None
    size: tuple[int, int] | None = None


def feature_network(name: str) -> FeatureNetwork:
    """Return the feature extractor that is in an ONNX file or has an import name.

    Args:
        name: Path of an .onnx file, or the import name (package.module.name) of an nn.Module or of a function that
            returns one.

    Raises:
        InvalidArgumentError: If the name has another form, or does not give a network for images.
        StorageError: If the .onnx file cannot be read.
    """
    return _onnx(Path(name)) if name.endswith(ONNX_ENDING) else _module(name)


def _module(name: str) -> FeatureNetwork:
    if "." not in name.strip("."):
        raise InvalidArgumentError(
            f"'model' must be a file.onnx or package.module.network, got {brief(name)}"
        )
    found = imported(name, "model")
    try:
        network = found if isinstance(found, nn.Module) else found()
    except Exception as error:  # it is the user's, and may raise anything
        raise InvalidArgumentError(
            f"'model' {brief(name)} cannot be made: {type(error).__name__}: {error}"
        ) from error
    if not isinstance(network, nn.Module):
        raise InvalidArgumentError(
            f"'model' {brief(name)} must be or make an nn.Module, got {type(network).__name__}"
        )
    network.eval()

    def features(images: Tensor) -> Tensor:
        with torch.no_grad():
            return network(images).flatten(1)

    return FeatureNetwork(features, weights_digest(network.state_dict()))


def _onnx(path: Path) -> FeatureNetwork:
    runtime = require("onnxruntime")
    with reading(path, "not a network that onnxruntime takes"):
        identity = hashlib.sha256(path.read_bytes()).hexdigest()
        session: Any = runtime.InferenceSession(
            str(path), providers=["CPUExecutionProvider"]
        )
    wanted = session.get_inputs()[0]
    shape = list(wanted.shape)
    dtype = INPUT_TYPES.get(wanted.type)
    if len(shape) != 4 or dtype is None:
        raise InvalidArgumentError(
            f"'model' {brief(str(path))} must take images, got {wanted.type} of {shape}"
        )
    last = shape[3] in (1, 3) and shape[1] not in (
        1,
        3,
    )  # channels are its last dimension
    batch = shape[0] if isinstance(shape[0], int) else None

    def run(images: Tensor) -> Tensor:
        array = (
            (images.permute(0, 2, 3, 1) if last else images)
            .contiguous()
            .numpy()
            .astype(dtype)
        )
        return torch.tensor(
            session.run(None, {wanted.name: array})[0], dtype=torch.float32
        ).flatten(1)

    channels, *size = [shape[3], *shape[1:3]] if last else shape[1:]
    known = (size[0], size[1]) if all(isinstance(each, int) for each in size) else None
    features = run if batch is None else partial(_in_batches, run, batch)
    return FeatureNetwork(
        features, identity, channels if isinstance(channels, int) else None, known
    )


def _in_batches(run: Callable[[Tensor], Tensor], batch: int, images: Tensor) -> Tensor:
    # `run` takes exactly `batch` images. The last call is filled up with copies of the last image.
    missing = -len(images) % batch
    if missing:
        filled = torch.cat([images, images[-1:].expand(missing, -1, -1, -1)])
    else:
        filled = images
    return torch.cat([run(some) for some in torch.split(filled, batch)])[: len(images)]
