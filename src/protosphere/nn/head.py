"""The last layer of a classifier, with fixed prototypes instead of a learned matrix."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

import torch
from torch import Tensor, nn

from protosphere.errors import InvalidArgumentError, as_choice
from protosphere.nn import checkpoint, growth
from protosphere.nn.buffer_guard import (
    buffers_intact,
    is_on_meta,
    keeps_values,
    like_buffers,
    remember_buffers,
)
from protosphere.nn.functional import unit
from protosphere.nn.losses import LOSSES
from protosphere.nn.nearest import Nearest
from protosphere.nn.part_decisions import PartDecisions, part_decisions
from protosphere.nn.presets import default_preset, preset_named
from protosphere.nn.projections import projection_for
from protosphere.nn.scale import Scale
from protosphere.nn.streaming.cross_entropy import (
    IGNORED_CLASS,
    streamed_cross_entropy,
)
from protosphere.nn.vectors import checked_wide
from protosphere.spherical.certificate import Certificate
from protosphere.spherical.spherical_code import SphericalCode

SCORES = ("max_cosine", "margin", "energy")
"""Names of the in-distribution scores."""


class PrototypeHead(nn.Module):
    """Map z of R^n to K logits by fixed prototypes: a drop-in for the last `nn.Linear`, with nothing to learn.

    Cross-entropy, label smoothing, mixup, class weights and distillation work on its logits as on any others. A
    state_dict holds the code with its points, compressed; whatever integers restore exactly is left out of large codes.

    Args:
        num_classes: K, or a `SphericalCode`.
        dim: n, for a K; K - 1 up to 512 by default. Put an `nn.Linear(features, dim)` before the head.
        scheme: For a K, one of `ps.available()`; 'best' is the best known code, without a search.
        options: Options of the scheme, such as {'modify': True}; {'budget': 5} lets 'best' search.
        preset: How z becomes logits; by default 'protosphere' up to 30 classes, else 'soft_cap', or that of a state.
        scale: Scale of the logits: 'auto' is the preset's, 'learn' a parameter that starts there, or a number.
        reserve: For a K, the number of classes there may ever be, or the code that holds them; `grow` uses it.
        projection: How dot products are computed, see `projections.KINDS`; 'auto' depends on the code's structure.
        seed: Seed of random schemes.

    Raises:
        InvalidArgumentError: If an argument is out of range or does not go with the others.
        InfeasibleError: If the scheme has no code for K and n.

    Example:
        >>> head = PrototypeHead(10, dim=9)
        >>> head(torch.zeros(2, 9)).shape
        torch.Size([2, 10])
        >>> [name for name, _ in head.named_parameters()]
        []
    """

    def __init__(
        self,
        num_classes: SphericalCode | int,
        dim: int | None = None,
        *,
        scheme: str = "best",
        options: Mapping[str, Any] | None = None,
        preset: str | None = None,
        scale: float | str = "auto",
        reserve: int | SphericalCode | None = None,
        projection: str = "auto",
        seed: int = 0,
    ) -> None:
        super().__init__()
        given_preset = None if preset is None else preset_named(preset)
        self.reserve, in_use = growth.reserved(
            num_classes, dim, reserve, scheme, seed, options or {}
        )
        self.preset = given_preset or default_preset(self.reserve.num_classes)
        self._preset_given = given_preset is not None
        self.scaling = Scale(scale, self.preset.scale(self.reserve))
        self._projection_kind = projection
        self._has_state = False
        self._use(in_use)
        # on the meta device a loader will fill the buffers later
        self._may_be_replaced = is_on_meta(self.projection)

    def _use(self, num_classes: int, dtype: torch.dtype | None = None) -> None:
        """Build the projection of the first classes of the reserve."""
        self.code = growth.first_classes(self.reserve, num_classes)
        current = getattr(self, "projection", None)
        resharded = getattr(current, "of", None)  # a ShardedProjection stays one
        if resharded:
            self.projection = resharded(self.code, dtype)
        else:
            self.projection = projection_for(self.code, self._projection_kind, dtype)
        remember_buffers(self.projection)

    def _refill(
        self, num_classes: int, device: torch.device, dtype: torch.dtype
    ) -> None:
        """Rebuild the prototypes from the code, whatever torch's default device is."""
        with torch.device("cpu"):
            self._use(num_classes, dtype)
        self.projection.to(device)
        remember_buffers(self.projection)

    def _apply(
        self, fn: Callable[[Tensor], Tensor], recurse: bool = True
    ) -> PrototypeHead:
        """Apply `.to()` and the like; rebuild prototypes for a finer dtype, or if the memory was not kept."""
        before = like_buffers(self.projection)
        intact = buffers_intact(self.projection) and keeps_values(fn)
        cast("Any", super())._apply(fn, recurse)  # torch has no types for it
        after = like_buffers(self.projection)
        finer = torch.finfo(after.dtype).eps < torch.finfo(before.dtype).eps
        if not after.is_meta and (finer or not intact):
            self._refill(self.num_classes, after.device, after.dtype)
        remember_buffers(self.projection)
        return self

    def train(self, mode: bool = True) -> PrototypeHead:
        """Set training mode, as of any module; loaders call it last, so replaced buffers are restored here."""
        self._restore_lost_buffers()
        return super().train(mode)

    def _restore_lost_buffers(self) -> None:
        """Rebuild the prototypes if a loader replaced them, which it may do with whatever is not saved.

        This is checked once after each load.
        """
        if not self._may_be_replaced or is_on_meta(self.projection):
            return
        self._may_be_replaced = False
        if buffers_intact(self.projection):
            return
        like = like_buffers(self.projection)
        self._refill(self.num_classes, like.device, like.dtype)
        if not self._has_state:  # the checkpoint was of a model without this head
            self.scaling.reset()

    @property
    def num_classes(self) -> int:
        """K, the number of classes in use."""
        return self.projection.num_classes

    @property
    def dim(self) -> int:
        """n, the dimension of the prototypes."""
        return self.projection.dim

    @property
    def certificate(self) -> Certificate:
        """Certificate of the classes in use."""
        return self.code.certificate

    @property
    def reserve_certificate(self) -> Certificate:
        """Certificate of the full reserve, including classes not in use yet."""
        return self.reserve.certificate

    def embed(self, z: Tensor) -> Tensor:
        """Return the vectors whose dot products with the prototypes are the logits.

        Args:
            z: (..., n) vectors.

        Returns:
            z as the preset normalizes it, times the scale, in the dtype of z; computed in float32 for half types.
        """
        return self._embedded(self._wide(z)).to(z.dtype)

    def _embedded(self, wide: Tensor) -> Tensor:
        scale = self.scaling.value
        if self.preset.slope is not None:
            wide = wide * (self.preset.slope / scale)
        return scale * self.preset.embed(wide)

    def _wide(self, z: Tensor) -> Tensor:
        """Return z in float32 for half types; raise if it cannot be compared with prototypes."""
        if self._may_be_replaced and not torch.compiler.is_compiling():
            self._restore_lost_buffers()
        return checked_wide(z, self.dim)

    def forward(self, z: Tensor) -> Tensor:
        """Return the logits.

        Args:
            z: (..., n) vectors, as of `nn.Linear`.

        Returns:
            (..., K) logits.
        """
        if z.ndim == 2:
            return self.projection(self.embed(z))
        logits = self.projection(self.embed(z).reshape(-1, self.dim))
        return logits.reshape(*z.shape[:-1], self.num_classes)

    def prototypes(self, classes: Tensor | None = None) -> Tensor:
        """Return prototypes, one per row.

        Args:
            classes: The classes whose prototypes are returned; all by default.
        """
        if classes is None:
            device = like_buffers(self.projection).device
            classes = torch.arange(self.num_classes, device=device)
        return self.projection.prototypes(classes)

    def loss(
        self,
        z: Tensor,
        target: Tensor,
        weight: Tensor | None = None,
        label_smoothing: float = 0.0,
        reduction: str = "mean",
        ignore_index: int = IGNORED_CLASS,
    ) -> Tensor:
        """Return the preset's loss, exact, without holding the B x K logits.

        Args:
            z: (..., n) vectors.
            target: (...) classes, or (..., K) probabilities: classes come last.
            weight: K class weights, as of `torch.nn.functional.cross_entropy`.
            label_smoothing: As of `torch.nn.functional.cross_entropy`.
            reduction: 'mean', 'sum' or 'none'.
            ignore_index: Class of examples that do not count.

        Raises:
            InvalidArgumentError: If the target does not fit z, or the preset's loss does not take the options.
        """
        wide = self._wide(z)
        if self.preset.loss == "cross_entropy":
            return streamed_cross_entropy(
                self.projection,
                self._embedded(wide),
                target,
                weight,
                label_smoothing,
                reduction,
                ignore_index,
            )
        options = (label_smoothing, reduction, ignore_index)
        if weight is not None or options != (0, "mean", IGNORED_CLASS):
            raise InvalidArgumentError(
                "'weight', 'label_smoothing', 'reduction' and 'ignore_index' go with cross-entropy, and preset "
                f"'{self.preset.name}' has another loss; preset='soft_cap' takes them"
            )
        return LOSSES[self.preset.loss].function(wide, target, self.projection)

    def decode(self, z: Tensor, k: int = 1) -> Nearest:
        """Return the k nearest prototypes of each vector, without holding the B x K cosines.

        Args:
            z: (..., n) vectors.
            k: At most K.

        Returns:
            Cosines and classes, both (..., k), nearest first.
        """
        rows = unit(self._wide(z)).reshape(-1, self.dim)
        cosines, classes = self.projection.top(rows, k)
        shape = (*z.shape[:-1], k)
        return Nearest(cosines.reshape(shape), classes.reshape(shape))

    def parts(self, z: Tensor) -> PartDecisions:
        """Return the most probable value of each part, for classes that are made of parts (`ps.compose`).

        The parts decide independently: if only some combinations are classes, theirs need not be one of them.

        Args:
            z: (..., n) vectors.

        Returns:
            Numbers of values and their probabilities within their part, both (..., P), and the names of the values.

        Raises:
            InvalidArgumentError: If the classes are not made of parts.

        Example:
            >>> import protosphere as ps
            >>> head = PrototypeHead(ps.compose(sizes=(19, 21, 28)))
            >>> head.parts(head.prototypes(torch.tensor([28 * 21 * 3 + 28 * 5 + 7]))).values
            tensor([[3, 5, 7]])
        """
        rows = self._embedded(self._wide(z)).reshape(-1, self.dim)
        found = part_decisions(self.code, self.projection, rows)
        shape = (*z.shape[:-1], found.values.shape[1])
        return found._replace(
            values=found.values.reshape(shape),
            confidences=found.confidences.reshape(shape),
        )

    def score(self, z: Tensor, kind: str = "energy") -> Tensor:
        """Return an in-distribution score for each vector; higher means more likely known.

        Args:
            z: (..., n) vectors.
            kind: 'energy' (log-sum-exp of the logits), 'max_cosine' (cosine with the nearest prototype) or 'margin'
                (that cosine less the second largest).

        Returns:
            (...) scores.

        Raises:
            InvalidArgumentError: If there is no score of this name.
        """
        wide = self._wide(z)
        as_choice("kind", kind, SCORES)
        if kind == "energy":
            rows = self._embedded(wide).reshape(-1, self.dim)
            return self.projection.log_sum_exp(rows).reshape(z.shape[:-1])
        if kind == "margin":
            cosines = self.decode(wide, 2).cosines
            return cosines[..., 0] - cosines[..., 1]
        return self.decode(wide).cosines[..., 0]

    def grow(self, num_classes: int) -> PrototypeHead:
        """Use more classes of the reserve, in place; prototypes in use, and the scale, stay bit for bit.

        Args:
            num_classes: The new K, at least the present one and at most the reserve's.

        Returns:
            The head itself.

        Raises:
            InvalidArgumentError: If the reserve has fewer classes, or more are in use.
        """
        growth.require_room(self.reserve, self.num_classes, num_classes)
        like = like_buffers(self.projection)
        self._refill(num_classes, like.device, like.dtype)
        return self

    def get_extra_state(self) -> Tensor:
        """Return the code and the settings, for `state_dict`."""
        settings = {
            "preset": self.preset.name,
            "scale": self.scaling.setting,
            "projection": self._projection_kind,
        }
        return checkpoint.packed_state(
            self.code, self.reserve, settings, self.scaling.start
        )

    def set_extra_state(self, state: Tensor) -> None:
        """Use the saved prototypes.

        Args:
            state: What `get_extra_state` returned.

        Raises:
            InvalidArgumentError: If the state is damaged, or its prototypes are not those of this head.
        """
        self._may_be_replaced = True
        self._has_state = True
        saved = checkpoint.unpacked_state(state)
        own_reserve = self.reserve
        self.reserve = checkpoint.reserve_to_use(saved, self.code, self.reserve)
        if not self._preset_given:
            self.preset = preset_named(saved.header["settings"]["preset"])
        start = checkpoint.scale_start(saved, self.preset.name)
        if start is None:
            start = self.preset.scale(self.reserve)
        self.scaling.begin_at(start)
        if self.reserve is own_reserve and buffers_intact(self.projection):
            remember_buffers(self.projection)
            return
        like = like_buffers(self.projection)
        device = state.device if like.is_meta else like.device
        self._refill(self.num_classes, device, like.dtype)

    @classmethod
    def from_state_dict(
        cls, state: Mapping[str, Any], prefix: str = ""
    ) -> PrototypeHead:
        """Return the head of a checkpoint, with the prototypes that it had.

        Args:
            state: State dict of a model.
            prefix: Name of the head in the model and a dot, such as 'head.'.

        Raises:
            InvalidArgumentError: If the state has no head under this prefix, or a damaged one.
        """
        key = f"{prefix}_extra_state"
        if key not in state:
            raise InvalidArgumentError(
                f"'state' has no {key!r}: give 'prefix', the head's name in the model and a dot"
            )
        saved = checkpoint.unpacked_state(state[key])
        reserve = checkpoint.saved_code(saved)
        settings = saved.header["settings"]
        head = cls(saved.header["num_classes"], reserve=reserve, **settings)
        head.load_state_dict({name: state[prefix + name] for name in head.state_dict()})
        return head

    def extra_repr(self) -> str:
        """Return one line for `print(model)`."""
        room = ""
        if self.reserve is not self.code:
            room = f", room for {self.reserve.num_classes}"
        return f"{self.code!r}{room}, preset={self.preset.name}"
