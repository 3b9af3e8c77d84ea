"""Save and load a trained network as one file with weights, prototypes and the format of the inputs.

A config holds all settings of a training run. The backbone maps an input to a vector of features, and the head maps the
features to logits, one for each class.

The file `weights.safetensors` contains the tensors of three modules: the backbone (names `backbone.*`), the head (names
`head.*`) and the normalization of inputs (names `normalized.*`). After a self-supervised run, it has no tensors of a
head. The header of the file has the settings of the run, the shape of an input and the names of the classes.
"""

import json
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import torch
from torch import Tensor, nn

from protosphere.backbones import build_backbone, is_ours
from protosphere.data import Dataset
from protosphere.errors import StorageError, as_integer
from protosphere.experiments.config import FEATURE_DIM, TrainingConfig, config_from
from protosphere.experiments.heads import Classifier, build_head
from protosphere.experiments.normalization import Normalize
from protosphere.experiments.self_supervised import SelfSupervised
from protosphere.nn import PrototypeHead
from protosphere.storage.files import replace_bytes

WEIGHTS_FILE = "weights.safetensors"
HEADER = "protosphere"


class TrainedModel(nn.Module):
    """Trained model: the normalization of inputs, followed by the backbone and the head.

    The model maps each input to K logits, one for each class. After a self-supervised run, it maps each input to the
    features that the backbone computes. The inputs have the format in which the dataset stores them: images as bytes,
    or features.

    Attributes:
        config: Settings of the training run.
        class_names: Names of the K classes. Logit k belongs to the class `class_names[k]`.
        normalized: Module that normalizes the inputs.
        backbone: Network from normalized inputs to the inputs of the head. After a self-supervised run, the backbone
            maps normalized inputs to features.
        head: A `PrototypeHead` or a learned layer, which computes the logits. After a self-supervised run, the head
            returns the features unchanged.
    """

    def __init__(
        self,
        config: TrainingConfig,
        class_names: tuple[str, ...],
        normalized: Normalize,
        backbone: nn.Module,
        head: nn.Module,
    ) -> None:
        super().__init__()
        self.config = config
        self.class_names = class_names
        self.normalized = normalized
        self.backbone = backbone
        self.head = head

    def forward(self, inputs: Tensor) -> Tensor:
        """Return the B x K logits of B inputs. After a self-supervised run, return B x D features of the backbone.

        Args:
            inputs: B images as bytes, or B feature vectors, in the format in which the dataset stores them.
        """
        return self.head(self.backbone(self.normalized(inputs)))


def save_model(
    folder: Path,
    config: TrainingConfig,
    dataset: Dataset,
    classifier: Classifier | SelfSupervised,
    normalized: Normalize,
) -> Path:
    """Write a trained network to the file `weights.safetensors` in a folder.

    After a self-supervised run, the file contains no head.

    Args:
        folder: Folder of the run.
        config: Settings of the run: dataset, backbone, scheme, loss and optimization.
        dataset: Dataset of the run. The file gets the shape of its inputs and the names of its classes.
        classifier: The trained network.
        normalized: Module that normalizes the inputs.

    Returns:
        Path of the written file.
    """
    about = {
        "config": config.record(),
        "input_shape": dataset.input_shape,
        "class_names": dataset.class_names,
    }
    if isinstance(classifier, SelfSupervised):
        network = {"backbone": classifier.backbone}
    else:
        network = {"backbone": classifier.backbone, "head": classifier.head}
    network_state = nn.ModuleDict(network).state_dict()
    state = network_state | {
        f"normalized.{name}": value for name, value in normalized.state_dict().items()
    }
    tensors = {name: value.detach().cpu().contiguous() for name, value in state.items()}
    packed: bytes = import_module("safetensors.torch").save(
        tensors, metadata={HEADER: json.dumps(about)}
    )
    return replace_bytes(folder / WEIGHTS_FILE, packed)


def load_model(source: str | Path) -> TrainedModel:
    """Load a trained network, in evaluation mode.

    The prototypes are read from the file. Therefore they are the same as in training, even if this version of the
    package builds other points by the scheme.

    Args:
        source: Folder of a run, or path of its file `weights.safetensors`.

    Returns:
        The trained network, with the normalization of its inputs.

    Raises:
        StorageError: If the file does not exist, cannot be read, or does not contain a trained network.

    Example:
        >>> from protosphere.experiments.models import load_model
        >>> load_model("runs/none")
        Traceback (most recent call last):
            ...
        protosphere.errors.StorageError: cannot read 'runs/none/weights.safetensors': there is no such file
    """
    path = Path(source)
    path = path if path.suffix == Path(WEIGHTS_FILE).suffix else path / WEIGHTS_FILE
    about, state = _read_weights(path)
    try:
        config = config_from(about["config"])
        names = tuple(str(name) for name in about["class_names"])
        shape = tuple(
            as_integer("input_shape", size, minimum=1) for size in about["input_shape"]
        )
        normalized = _normalized(state, shape)
        backbone = _backbone(config, shape, _part(state, "backbone."))
        head = _head(config, len(names), state)
    except (ArithmeticError, LookupError, RuntimeError, TypeError, ValueError) as error:
        reason = str(error).splitlines()[0].rstrip(":")
        raise StorageError(
            f"cannot read '{path}': its weights do not fit its config ({reason})"
        ) from error
    return TrainedModel(config, names, normalized, backbone, head).eval()


def _normalized(state: Mapping[str, Tensor], shape: tuple[int, ...]) -> Normalize:
    mean = state["normalized.mean"]
    deviation = state["normalized.deviation"]
    for tensor in (mean, deviation):
        if (
            not tensor.is_floating_point()
            or torch.empty(shape, device="meta").add(tensor.to("meta")).shape != shape
        ):
            raise ValueError(
                f"inputs of {shape} cannot be normalized by {tensor.dtype} of {tuple(tensor.shape)}"
            )
    return Normalize(mean.float(), deviation.float())


def _backbone(
    config: TrainingConfig, shape: tuple[int, ...], state: Mapping[str, Tensor]
) -> nn.Module:
    dim = FEATURE_DIM if config.is_self_supervised else config.dim
    if is_ours(config.backbone):
        with torch.device("meta"):  # shapes are checked before memory is allocated
            wanted = build_backbone(config.backbone, shape, dim).state_dict()
        needed, held = (
            {name: part.shape for name, part in each.items()}
            for each in (wanted, state)
        )
        if needed != held:
            raise ValueError(
                f"{config.backbone} for inputs of {shape} has other weights"
            )
    backbone = build_backbone(config.backbone, shape, dim)
    backbone.load_state_dict(state)
    return backbone


def _head(
    config: TrainingConfig, num_classes: int, state: Mapping[str, Tensor]
) -> nn.Module:
    if config.is_self_supervised:
        return nn.Identity()
    if config.head == "prototypes":
        return PrototypeHead.from_state_dict(state, prefix="head.")
    head = build_head(config, num_classes, None)
    head.load_state_dict(_part(state, "head."))
    return head


def _part(state: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {
        name.removeprefix(prefix): value
        for name, value in state.items()
        if name.startswith(prefix)
    }


def _read_weights(path: Path) -> tuple[dict[str, Any], dict[str, Tensor]]:
    if not path.is_file():
        raise StorageError(f"cannot read '{path}': there is no such file")
    try:
        with import_module("safetensors").safe_open(path, framework="pt") as file:
            header: dict[str, str] = file.metadata() or {}
            names: list[str] = file.keys()
            state: dict[str, Tensor] = {name: file.get_tensor(name) for name in names}
        about = json.loads(header.get(HEADER, "null"))
    except Exception as error:  # of a damaged file it raises many kinds
        raise StorageError(
            f"cannot read '{path}': damaged, or not a file of weights"
        ) from error
    if not isinstance(about, dict):
        raise StorageError(
            f"cannot read '{path}': it does not say what it was trained by; train again to have it"
        )
    return cast("dict[str, Any]", about), state
