"""A network and its head as one module: what a step computes, and what is kept of it."""

from typing import Any

import torch
from torch import Tensor, nn

from protosphere.nn import PrototypeHead
from protosphere.training.heads import Objective, prefers_streaming


class Classifier(nn.Module):
    """Inputs to z by the backbone, z to logits by the head, which stays in single precision or better."""

    def __init__(self, backbone: nn.Module, head: nn.Module, objective: Objective) -> None:
        super().__init__()
        self.backbone = backbone
        self.head = head
        self.objective = objective

    def forward(self, inputs: Tensor, labels: Tensor | None = None) -> Any:
        """z; with labels the sum of the losses and the number of inputs that are nearest to their own class."""
        z = self.backbone(inputs)
        with torch.autocast(z.device.type, enabled=False):
            z = z if z.dtype == torch.float64 else z.float()
            return z if labels is None else self.objective(z, labels)

    def predicted(self, z: Tensor) -> Tensor:
        """The class of each z."""
        if isinstance(self.head, PrototypeHead) and prefers_streaming(self.head, len(z)):
            return self.head.decode(z).classes[:, 0]
        return self.head(z).argmax(dim=1)

    def learned(self) -> dict[str, Tensor]:
        """What training decided: the state of the backbone by its own names, and the parameters of the head."""
        head = {f"(head).{name}": parameter for name, parameter in self.head.named_parameters()}
        return {name: value.detach().cpu() for name, value in (self.backbone.state_dict() | head).items()}
