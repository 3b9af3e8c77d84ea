"""Self-distillation (DINO): a student network predicts a teacher's output for another view of the same image.

A network consists of a backbone, which maps a view to features, and a projection head, which maps the features to an
embedding. The loss compares embeddings with the prototypes.

A view is an image after random crops, flips and changes of color. The weights of the teacher network are a moving
average of the weights of the student.

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
    """Projection head, loss and teacher of the objective `dino`: a student network predicts the output of a teacher.

    The student sees one view of an image, and the teacher sees the other view. The teacher is a moving average of the
    backbone, of the projection head and, if the prototypes are learned, of the prototypes.

    Args:
        backbone: Backbone of the student, from which the teacher's backbone is copied.
        feature_dim: Number of features that the backbone returns.
        prototypes: Fixed or learned prototypes.
        temperature: Number by which the student's cosines are divided to give logits.
        teacher_temp: Number by which the teacher's cosines are divided to give logits.
        teacher_momentum: Weight of the old teacher in the moving average, from 0 to 1.
        center_momentum: Weight of the old value when the running mean of the teacher's outputs is updated, from 0 to 1.
        centering: How the teacher's outputs become probabilities: "center" or "sinkhorn". With "center", the running
            mean is subtracted from the outputs before the softmax. With "sinkhorn", Sinkhorn's algorithm computes the
            probabilities such that a batch uses all prototypes equally.

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
        """Return the B x n embeddings that the student's projection head computes from B feature vectors."""
        return self.projector(features)

    @torch.no_grad()
    def teacher_features(self, views: Tensor) -> Tensor:
        """Return the features that the teacher's backbone computes for all views, without gradient.

        Args:
            views: The first view of every image, then the second view of every image.
        """
        return self.teacher["backbone"](views)

    def loss(
        self, features: Tensor, teacher_features: Tensor | None, rows: Tensor
    ) -> Tensor:
        """Return the mean loss of a batch of B images.

        For each image, the loss is the cross-entropy of the student's output for one view with the teacher's output for
        the other view, averaged over both choices of the views.

        Args:
            features: The student's features of 2 B views: the first view of every image, then the second view of every
                image.
            teacher_features: The teacher's features of the same views.
            rows: Unused.
        """
        del rows
        assert teacher_features is not None, "this objective has a teacher"
        with torch.no_grad():
            taught = self.teacher["projector"](teacher_features)
        student = self.embed(features)
        return self.distillation(student.chunk(2), taught.chunk(2))

    @torch.no_grad()
    def after_step(self, backbone: nn.Module) -> None:
        """Update the teacher after a step of the optimizer.

        Each parameter of the teacher moves toward the parameter of the student by the fraction 1 - `teacher_momentum`.

        Args:
            backbone: Backbone of the student.
        """
        students = {"backbone": backbone, "projector": self.projector}
        if "prototypes" in self.teacher:
            students["prototypes"] = self.distillation.prototypes
        for name, student in students.items():
            pairs = zip(
                self.teacher[name].parameters(), student.parameters(), strict=True
            )
            for slow, fast in pairs:
                slow.lerp_(fast, 1 - self.teacher_momentum)
