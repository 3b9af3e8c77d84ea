"""Self-distillation: from one view, a student predicts the output of a teacher, its moving average, for another view.

M. Caron et al., Emerging properties in self-supervised vision transformers, ICCV 2021.
"""

from copy import deepcopy

import torch
from torch import Tensor, nn

from protosphere.experiments.objectives.projector import build_projector
from protosphere.experiments.objectives.registry import Prototypes, objective
from protosphere.nn import DINOLoss, LearnedPrototypes


@objective(
    "dino",
    summary="a student predicts what its moving average says of another view",
    reference="Caron et al. 2021, arXiv 2104.14294",
)
class SelfDistillationHead(nn.Module):
    """Projection head and loss of DINO, and its teacher: a moving average of backbone, projection and prototypes."""

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
        self.teacher_momentum = teacher_momentum
        self.distillation = DINOLoss(
            prototypes,
            teacher_prototypes,
            student_temp=temperature,
            teacher_temp=teacher_temp,
            center_momentum=center_momentum,
            centering=centering,
        )

    def embed(self, features: Tensor) -> Tensor:
        """Return the B x n embeddings of features by the student."""
        return self.projector(features)

    @torch.no_grad()
    def teacher_features(self, views: Tensor) -> Tensor:
        """Return the features of all views by the teacher's backbone, without gradient."""
        return self.teacher["backbone"](views)

    def loss(
        self, features: Tensor, teacher_features: Tensor | None, rows: Tensor
    ) -> Tensor:
        """Return the mean loss of a batch: cross-entropy of student and teacher on different views of each image."""
        del rows
        assert teacher_features is not None, "this objective has a teacher"
        with torch.no_grad():
            taught = self.teacher["projector"](teacher_features)
        student = self.embed(features)
        return self.distillation(student.chunk(2), taught.chunk(2))

    @torch.no_grad()
    def after_step(self, backbone: nn.Module) -> None:
        """Move the teacher toward the student, by the factor 1 - `teacher_momentum`."""
        students = {"backbone": backbone, "projector": self.projector}
        if "prototypes" in self.teacher:
            students["prototypes"] = self.distillation.prototypes
        for name, student in students.items():
            pairs = zip(
                self.teacher[name].parameters(), student.parameters(), strict=True
            )
            for slow, fast in pairs:
                slow.lerp_(fast, 1 - self.teacher_momentum)
