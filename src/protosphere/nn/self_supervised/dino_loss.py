"""The loss of DINO: a student predicts the teacher's distribution over prototypes for another view.

A view of an image is a changed copy of the image, such as a crop. The student is the network that is trained. The
teacher is the network whose outputs the student predicts. An embedding is the vector of n numbers that a network
computes from a view.

Let c_1, ..., c_K be fixed prototypes, t an embedding of the teacher, and m the running mean of the embeddings. A
product of two vectors, such as t c_k, is their dot product. The logits t c_k are linear in t, so m c_k is the running
mean of the logits of prototype k, and (t - m) c_k is the centered logit. Therefore the center is stored as the vector m
of n numbers instead of K numbers.

The cross-entropy depends on the teacher's probabilities q_1, ..., q_K only through the vector sum_k q_k c_k, which has
n numbers. Therefore the K logits of an example need not be materialized.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from protosphere.errors import (
    InvalidArgumentError,
    as_choice,
    as_positive,
    as_share,
)
from protosphere.nn.buffer_guard import is_on_meta, like_buffers
from protosphere.nn.kernels.threaded import without_autocast
from protosphere.nn.projections import Projection
from protosphere.nn.self_supervised.all_processes import mean_row
from protosphere.nn.self_supervised.learned_prototypes import LearnedPrototypes
from protosphere.nn.self_supervised.prototype_module import (
    PrototypeModule,
    Prototypes,
    projection_of,
    prototype_module,
)
from protosphere.nn.self_supervised.sinkhorn import sinkhorn
from protosphere.nn.self_supervised.view_pairs import (
    by_view,
    check_views,
    mean_cross_entropy,
    predictions,
    softmax_mean,
    unit_vectors,
)

CENTERINGS = ("center", "sinkhorn")
"""Methods that keep the teacher's probabilities from collapsing to one prototype."""

POINT_TOLERANCE = 0.01
"""Tolerance for the comparison of two projections by a random linear combination of all prototypes.

The coordinates of the two combinations may differ by at most POINT_TOLERANCE / sqrt(n). For 65,536 points, rounding
causes differences of about 1/50 of this limit, and two swapped points usually cause more than 5 times this limit.
"""

SINKHORN_ITERATIONS = 3
"""Number of Sinkhorn iterations for the teacher's assignments, as in DINOv2."""


class DINOLoss(nn.Module):
    """Cross-entropy between a teacher's and a student's probabilities of prototypes, for different views (DINO).

    With fixed prototypes and `centering='center'`, the B x K logits of B examples are not materialized for large K, and
    the center has n numbers instead of K.

    Args:
        prototypes: Prototypes of the student: a `SphericalCode`, `PrototypeHead`, `Projection` or `LearnedPrototypes`.
        teacher_prototypes: Prototypes of the teacher, if they are learned. They are usually a moving average of the
            student's prototypes. The training loop must update this average. By default, the teacher uses the student's
            prototypes.
        student_temp: Number by which the student's cosines are divided to give logits.
        teacher_temp: Number by which the teacher's cosines are divided to give logits. A schedule may change this
            attribute during training.
        center_momentum: Weight of the old center when the center is updated, from 0 to 1. The mean over the batch has
            the remaining weight.
        centering: 'center' subtracts the running mean of the teacher's logits (DINO). 'sinkhorn' computes teacher
            probabilities that use all prototypes equally within the batch (DINOv2).

    Attributes:
        center: Running mean of the teacher's unit embeddings (n numbers) if the prototypes are fixed. Running mean of
            the teacher's cosines (K numbers) if the prototypes are learned. It is not used with `centering='sinkhorn'`.

    Raises:
        InvalidArgumentError: If an argument is out of range, or the teacher's prototypes do not match the student's
            prototypes. They must have the same size, both must be learned or both fixed, and fixed prototypes must be
            the same points.

    References:
        Caron, Touvron, Misra, Jégou, Mairal, Bojanowski, Joulin, *Emerging properties in self-supervised vision
        transformers* (2021), arXiv 2104.14294; Oquab et al., *DINOv2: learning robust visual features without
        supervision* (2023), arXiv 2304.07193.

    Example:
        >>> import protosphere as ps, torch
        >>> from protosphere.nn import DINOLoss
        >>> loss = DINOLoss(ps.best(num_classes=64, dim=16))
        >>> student = [torch.randn(8, 16, requires_grad=True) for _ in range(4)]  # two global views, two crops
        >>> teacher = [torch.randn(8, 16) for _ in range(2)]
        >>> loss(student, teacher).backward()
        >>> loss.center.shape
        torch.Size([16])
    """

    center: Tensor

    def __init__(
        self,
        prototypes: Prototypes,
        teacher_prototypes: Prototypes | None = None,
        *,
        student_temp: float = 0.1,
        teacher_temp: float = 0.04,
        center_momentum: float = 0.9,
        centering: str = "center",
    ) -> None:
        super().__init__()
        self.prototypes = prototype_module(prototypes)
        self.teacher_prototypes = _teacher_module(self.prototypes, teacher_prototypes)
        self.student_temp = as_positive("student_temp", student_temp)
        self.teacher_temp = as_positive("teacher_temp", teacher_temp)
        self.center_momentum = as_share("center_momentum", center_momentum)
        self.centering = as_choice("centering", centering, CENTERINGS)
        student = projection_of(self.prototypes)
        is_learned = isinstance(student, LearnedPrototypes)
        size = student.num_classes if is_learned else student.dim
        self.register_buffer("center", torch.zeros(size))

    def forward(self, student: Sequence[Tensor], teacher: Sequence[Tensor]) -> Tensor:
        """Return the mean loss over the batch and all pairs of different views.

        A pair consists of a view of the student and another view of the same images for the teacher. In training mode,
        the center is updated as well.

        Args:
            student: Embeddings of the student, one B x n tensor per view. They need not be normalized. The first views
                are the teacher's views in the same order. Further views, such as small crops, may follow.
            teacher: Embeddings of the teacher, one B x n tensor per view. They need not be normalized, and they get no
                gradient.

        Raises:
            InvalidArgumentError: If the views differ in shape, or there is only one view of the student and one of the
                teacher.
        """
        projection = projection_of(self.prototypes)
        check_views("student", student, projection.dim)
        check_views("teacher", teacher, projection.dim)
        _require_pairs(student, teacher)
        with without_autocast(student[0]):
            with torch.no_grad():
                rows = torch.cat(unit_vectors(teacher))
                targets = self._targets(rows).chunk(len(teacher))
            vectors = torch.cat(unit_vectors(student))
            found = predictions(vectors, projection, self.student_temp)
            return mean_cross_entropy(by_view(found, len(student)), targets)

    def _targets(self, teacher: Tensor) -> Tensor:
        # for fixed prototypes, a target is the mean prototype under the teacher's probabilities, a vector of n numbers
        # for learned prototypes, it is the vector of the K probabilities
        if self.teacher_prototypes is None:
            projection = projection_of(self.prototypes)
        else:
            projection = self.teacher_prototypes
        if isinstance(projection, LearnedPrototypes):
            return self._probabilities(projection(teacher))
        if self.centering == "sinkhorn":
            assigned = self._assignments(projection(teacher))
            return projection.weighted_prototypes(assigned)[0]
        return softmax_mean(self._centered(teacher), projection)

    def _probabilities(self, cosines: Tensor) -> Tensor:
        if self.centering == "sinkhorn":
            return self._assignments(cosines)
        return self._centered(cosines).softmax(1)

    def _assignments(self, cosines: Tensor) -> Tensor:
        return sinkhorn(
            cosines, epsilon=self.teacher_temp, iterations=SINKHORN_ITERATIONS
        )

    def _centered(self, rows: Tensor) -> Tensor:
        # rows: the teacher's unit embeddings if the prototypes are fixed, its cosines if they are learned
        centered = (rows - self.center.to(rows.dtype)) / self.teacher_temp
        if self.training:
            self._update_center(mean_row(rows))
        return centered

    def _update_center(self, mean: Tensor) -> None:
        momentum = self.center_momentum
        moved = momentum * self.center.to(mean.dtype) + (1 - momentum) * mean
        self.center.copy_(moved)

    def extra_repr(self) -> str:
        """Return a text with the temperatures, the momentum of the center and the centering, for `print(model)`."""
        return (
            f"student_temp={self.student_temp}, teacher_temp={self.teacher_temp}, "
            f"center_momentum={self.center_momentum}, centering={self.centering}"
        )


def _teacher_module(
    student: PrototypeModule, given: Prototypes | None
) -> LearnedPrototypes | None:
    if given is None:
        return None
    own = projection_of(student)
    other = projection_of(prototype_module(given, "teacher_prototypes"))
    own_size = f"{own.num_classes} x {own.dim}"
    other_size = f"{other.num_classes} x {other.dim}"
    if own_size != other_size:
        raise InvalidArgumentError(
            f"'teacher_prototypes' must be {own_size} as those of the student are, got {other_size}"
        )
    if isinstance(own, LearnedPrototypes) and isinstance(other, LearnedPrototypes):
        return other
    if isinstance(own, LearnedPrototypes) or isinstance(other, LearnedPrototypes):
        raise InvalidArgumentError(
            "'prototypes' and 'teacher_prototypes' must both be learned or both be fixed, got one of each"
        )
    if not _are_same_points(own, other):
        raise InvalidArgumentError(
            "'teacher_prototypes' must be the points of 'prototypes' where these are fixed, got others; leave it out"
        )
    return None  # the teacher uses the prototypes of the student


def _are_same_points(own: Projection, other: Projection) -> bool:
    # compares one random linear combination of all prototypes
    # on the meta device, nothing can be compared
    if is_on_meta(own) or is_on_meta(other):
        return True
    draw = torch.Generator().manual_seed(0)
    weights = torch.randn(1, own.num_classes, generator=draw, device="cpu")
    sums: list[Tensor] = []
    for projection in (own, other):
        placed = weights.to(like_buffers(projection).device)
        sums.append(projection.weighted_prototypes(placed)[0].cpu().double())
    return torch.allclose(*sums, rtol=0, atol=POINT_TOLERANCE / own.dim**0.5)


def _require_pairs(student: Sequence[Tensor], teacher: Sequence[Tensor]) -> None:
    if len(student[0]) != len(teacher[0]):
        raise InvalidArgumentError(
            f"'student' and 'teacher' must have as many rows, got {len(student[0])} and {len(teacher[0])}"
        )
    if len(student) == len(teacher) == 1:
        raise InvalidArgumentError(
            "'student' and 'teacher' must hold different views, at least 2 in one of them, got 1 and 1"
        )
