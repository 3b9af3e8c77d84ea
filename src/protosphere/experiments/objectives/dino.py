"""Self-distillation: the student sees one view of an image and predicts the teacher's output for another view.

The teacher is a moving average of the student.

M. Caron et al., Emerging properties in self-supervised vision transformers, ICCV 2021.
"""

from copy import deepcopy

import torch
from torch import Tensor, nn

from protosphere.errors import as_share
from protosphere.experiments.objectives.projector import build_projector
from protosphere.experiments.objectives.registry import Prototypes, objective
from protosphere.nn import DINOLoss, LearnedPrototypes


@objective(
    "dino",
    summary="a student predicts what its moving average says of another view",
    reference="Caron et al. 2021, arXiv 2104.14294",
)
class SelfDistillationHead(nn.Module):
    """Projection head, loss and teacher of DINO.

    The teacher is a moving average of the backbone, the projection head and, if they are learned, the prototypes.

    Args:
        backbone: Backbone of the student, from which the teacher's backbone is copied.
        feature_dim: Number of features that the backbone returns.
        prototypes: Fixed or learned prototypes.
        temperature: Number by which the student's cosines are divided to give logits.
        teacher_temp: Number by which the teacher's cosines are divided to give logits.
        teacher_momentum: Weight of the old teacher in the moving average, from 0 to 1.
        center_momentum: Weight of the old center when the center of the teacher's outputs is updated, from 0 to 1.
        centering: "center" subtracts a running mean of the teacher's outputs. "sinkhorn" computes teacher probabilities
            that use all prototypes equally.

    Raises:
        InvalidArgumentError: If an option is out of its range.
    """

    def __init__(
        self,
        backbone: nn.Module,
        feature_dim: int,
        prototypes: Prototypes,
        temperature: float,
        *,
        teacher_temp: float = 0.04,
        teacher_momentum: float = 0.99,
        center_momentum: float = 0.9,
        centering: str = "center",
    ) -> None:
        super().__init__()
        self.projector = build_projector(feature_dim, prototypes.dim)
        self.teacher = nn.ModuleDict(
            {"backbone": deepcopy(backbone), "projector": deepcopy(self.projector)}
        )
        teacher_prototypes = None
        if isinstance(prototypes, LearnedPrototypes):
            teacher_prototypes = deepcopy(prototypes)
            self.teacher["prototypes"] = teacher_prototypes
        self.teacher.requires_grad_(False)
        self.teacher_momentum = as_share("teacher_momentum", teacher_momentum)
        self.distillation = DINOLoss(
            prototypes,
            teacher_prototypes,
            student_temp=temperature,
            teacher_temp=teacher_temp,
            center_momentum=center_momentum,
            centering=centering,
        )

    def embed(self, features: Tensor) -> Tensor:
        """Return the student's B x n embeddings of B feature vectors."""
        return self.projector(features)

    @torch.no_grad()
    def teacher_features(self, views: Tensor) -> Tensor:
        """Return the features that the teacher's backbone computes for all views, without gradient."""
        return self.teacher["backbone"](views)

    def loss(
        self, features: Tensor, teacher_features: Tensor | None, rows: Tensor
    ) -> Tensor:
        """Return the mean cross-entropy of the student's output for one view and the teacher's for the other view."""
        del rows
        assert teacher_features is not None, "this objective has a teacher"
        with torch.no_grad():
            taught = self.teacher["projector"](teacher_features)
        student = self.embed(features)
        return self.distillation(student.chunk(2), taught.chunk(2))

    @torch.no_grad()
    def after_step(self, backbone: nn.Module) -> None:
        """Move each parameter of the teacher toward the student's by the fraction 1 - `teacher_momentum`."""
        students = {"backbone": backbone, "projector": self.projector}
        if "prototypes" in self.teacher:
            students["prototypes"] = self.distillation.prototypes
        for name, student in students.items():
            pairs = zip(
                self.teacher[name].parameters(), student.parameters(), strict=True
            )
            for slow, fast in pairs:
                slow.lerp_(fast, 1 - self.teacher_momentum)
