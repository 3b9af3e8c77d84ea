"""The last layer of a classifier, with fixed prototypes instead of a learned matrix."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

import torch
from torch import Tensor, nn

from protosphere.errors import InvalidArgumentError, as_choice
from protosphere.nn import checkpoint, growth
from protosphere.nn.buffer_guard import (
    is_filled,
    is_on_meta,
    keeps_values,
    like_buffers,
    note_filled,
)
from protosphere.nn.functional import unit
from protosphere.nn.losses import LOSSES
from protosphere.nn.nearest import Nearest
from protosphere.nn.presets import default_preset, preset_named
from protosphere.nn.projections import projection_for
from protosphere.nn.projections.projection import check_vectors
from protosphere.nn.scale import Scale
from protosphere.nn.streaming.log_sum_exp import widened
from protosphere.spherical.certificate import Certificate
from protosphere.spherical.spherical_code import SphericalCode


class PrototypeHead(nn.Module):
    """z of R^n to K logits, by fixed prototypes: drop-in for the last `nn.Linear`, with nothing to learn.

    Cross-entropy, label smoothing, mixup, class weights and distillation work on its logits as on any others.
    A state_dict holds the code with its points, compressed; of large codes what integers give back exactly is left out.

    Args:
        num_classes: K, or a `SphericalCode`.
        dim: n, for a K; K - 1 up to 512 without it. Put an `nn.Linear(features, dim)` before the head.
        scheme: for a K, one of `ps.available()`; 'best' is the best that is known, without a search of its own.
        options: the scheme's own, e.g. {'modify': True}; {'budget': 5} lets 'best' search.
        preset: how z becomes logits; without it 'protosphere' up to 30 classes, else 'soft_cap', or that of a state.
        scale: of the logits: 'auto' is the preset's, 'learn' a parameter that starts there, or a number.
        reserve: for a K, how many classes there may ever be, or the code that holds them; `grow` uses it.
        projection: how dot products are computed, see `projections.KINDS`; 'auto' goes by the code's structure.
        seed: of schemes that draw.

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
        chosen = None if preset is None else preset_named(preset)
        self.reserve, in_use = growth.reserved(
            num_classes, dim, reserve, scheme, seed, options or {}
        )
        self.preset = chosen or default_preset(self.reserve.num_classes)
        self._preset_given = chosen is not None
        self.scaling = Scale(scale, self.preset.scale(self.reserve))
        self._projection_kind = projection
        self._has_state = False
        self._use(in_use)
        self._loaded = is_on_meta(
            self.projection
        )  # a loader will fill what is not there yet

    def _use(self, num_classes: int, dtype: torch.dtype | None = None) -> None:
        self.code = growth.first_classes(self.reserve, num_classes)
        share = getattr(
            getattr(self, "projection", None), "of", None
        )  # a ShardedProjection stays one
        if share:
            self.projection = share(self.code, dtype)
        else:
            self.projection = projection_for(self.code, self._projection_kind, dtype)
        note_filled(self.projection)

    def _refill(
        self, num_classes: int, device: torch.device, dtype: torch.dtype
    ) -> None:
        """Prototypes from the code anew, whatever device is torch's default."""
        with torch.device("cpu"):
            self._use(num_classes, dtype)
        self.projection.to(device)
        note_filled(self.projection)

    def _apply(
        self, fn: Callable[[Tensor], Tensor], recurse: bool = True
    ) -> PrototypeHead:
        """`.to()` and its kin: in a finer type, or after memory was not kept, prototypes come from the code anew."""
        before = like_buffers(self.projection)
        filled = is_filled(self.projection) and keeps_values(fn)
        cast("Any", super())._apply(fn, recurse)  # torch has no types for it
        after = like_buffers(self.projection)
        finer = torch.finfo(after.dtype).eps < torch.finfo(before.dtype).eps
        if not after.is_meta and (finer or not filled):
            self._refill(self.num_classes, after.device, after.dtype)
        note_filled(self.projection)
        return self

    def train(self, mode: bool = True) -> PrototypeHead:
        """As of any module; the last that loaders do, and a moment to see whether they left the prototypes alone."""
        self._look_after_loading()
        return super().train(mode)

    def _look_after_loading(self) -> None:
        """Loaders may put empty tensors in the place of what is not saved: once after each load it is looked for."""
        if not self._loaded or is_on_meta(self.projection):
            return
        self._loaded = False
        if not is_filled(self.projection):
            self._refill(
                self.num_classes,
                like_buffers(self.projection).device,
                like_buffers(self.projection).dtype,
            )
            if not self._has_state:  # the checkpoint was of a model without this head
                self.scaling.reset()

    @property
    def num_classes(self) -> int:
        """K: how many classes there are now."""
        return self.code.num_classes

    @property
    def dim(self) -> int:
        """n."""
        return self.code.dim

    @property
    def certificate(self) -> Certificate:
        """What the classes there are now guarantee."""
        return self.code.certificate

    @property
    def reserve_certificate(self) -> Certificate:
        """What all classes there may ever be guarantee."""
        return self.reserve.certificate

    def embed(self, z: Tensor) -> Tensor:
        """What the logits are dot products of: z as the preset normalises it, in float32 for half types, scaled."""
        wide = self._wide(z)
        slope = self.preset.slope
        short = wide if slope is None else wide * (slope / self.scaling.value)
        return self.scaling(self.preset.embed(short)).to(z.dtype)

    def _wide(self, z: Tensor) -> Tensor:
        """z in float32 for half types; one sentence for what cannot be compared with prototypes."""
        if self._loaded and not torch.compiler.is_compiling():
            self._look_after_loading()
        check_vectors(z, self.dim, any_shape=True)
        return widened(z)

    def forward(self, z: Tensor) -> Tensor:
        """The logits, B x K; any dimensions before the last, as of `nn.Linear`."""
        if z.ndim == 2:
            return self.projection(self.embed(z))
        logits = self.projection(self.embed(z).reshape(-1, self.dim))
        return logits.reshape(*z.shape[:-1], self.num_classes)

    def prototypes(self, classes: Tensor | None = None) -> Tensor:
        """The prototypes of these classes, or all of them, one per row."""
        if classes is None:
            which = torch.arange(
                self.num_classes, device=like_buffers(self.projection).device
            )
        else:
            which = classes
        return self.projection.prototypes(which)

    def loss(
        self,
        z: Tensor,
        target: Tensor,
        weight: Tensor | None = None,
        label_smoothing: float = 0.0,
        reduction: str = "mean",
        ignore_index: int = -100,
    ) -> Tensor:
        """The preset's loss, exact, without B x K logits; it takes what torch's cross_entropy does, classes last."""
        if self.preset.loss == "cross_entropy":
            options = weight, label_smoothing, reduction
            return self.projection.cross_entropy(
                self.embed(self._wide(z)), target, *options, ignore_index=ignore_index
            )
        if weight is not None or (label_smoothing, reduction, ignore_index) != (
            0,
            "mean",
            -100,
        ):
            raise InvalidArgumentError(
                "'weight', 'label_smoothing', 'reduction' and 'ignore_index' go with cross-entropy, and preset "
                f"'{self.preset.name}' has another loss; preset='soft_cap' takes them"
            )
        return LOSSES[self.preset.loss].function(self._wide(z), target, self.projection)

    def decode(self, z: Tensor, k: int = 1) -> Nearest:
        """The k nearest prototypes of each z, (..., k), streaming."""
        rows = unit(self._wide(z)).reshape(-1, self.dim)
        cosines, classes = self.projection.top(rows, k)
        return Nearest(
            cosines.reshape(*z.shape[:-1], k), classes.reshape(*z.shape[:-1], k)
        )

    def score(self, z: Tensor, kind: str = "energy") -> Tensor:
        """Return an in-distribution score of each z, higher if known: 'energy', 'max_cosine' or 'margin'."""
        wide = self._wide(z)
        if as_choice("kind", kind, ("max_cosine", "margin", "energy")) == "energy":
            return self.projection.log_sum_exp(
                self.embed(wide).reshape(-1, self.dim)
            ).reshape(z.shape[:-1])
        cosines = self.decode(wide, 2 if kind == "margin" else 1).cosines
        if kind == "margin":
            return cosines[..., 0] - cosines[..., 1]
        return cosines[..., 0]

    def grow(self, num_classes: int) -> PrototypeHead:
        """Use the first `num_classes` of the reserve, in place. Old prototypes, and the scale, stay bit for bit."""
        growth.require_room(self.reserve, self.num_classes, num_classes)
        self._refill(
            num_classes,
            like_buffers(self.projection).device,
            like_buffers(self.projection).dtype,
        )
        return self

    def get_extra_state(self) -> Tensor:
        """The code and the settings, for `state_dict`."""
        settings = {
            "preset": self.preset.name,
            "scale": self.scaling.setting,
            "projection": self._projection_kind,
        }
        return checkpoint.packed_state(
            self.code, self.reserve, settings, self.scaling.start
        )

    def set_extra_state(self, state: Tensor) -> None:
        """Use the saved prototypes; refuse, in one sentence, those that were not asked for."""
        self._loaded = self._has_state = True
        saved = checkpoint.unpacked_state(state)
        mine = self.reserve
        self.reserve = checkpoint.reserve_to_use(saved, self.code, self.reserve)
        if not self._preset_given:
            self.preset = preset_named(saved.words["settings"]["preset"])
        started = checkpoint.started_scale(saved, self.preset.name)
        self.scaling.begin_at(
            self.preset.scale(self.reserve) if started is None else started
        )
        if self.reserve is mine and is_filled(self.projection):
            note_filled(self.projection)
        else:
            like = like_buffers(self.projection)
            self._refill(
                self.num_classes,
                state.device if like.is_meta else like.device,
                like.dtype,
            )

    @classmethod
    def from_state_dict(
        cls, state: Mapping[str, Any], prefix: str = ""
    ) -> PrototypeHead:
        """The head of a checkpoint, with the prototypes that it had; `prefix` as in 'head.'."""
        key = f"{prefix}_extra_state"
        if key not in state:
            raise InvalidArgumentError(
                f"'state' has no {key!r}: give 'prefix', the head's name in the model and a dot"
            )
        saved = checkpoint.unpacked_state(state[key])
        words = saved.words
        head = cls(
            words["num_classes"],
            reserve=checkpoint.saved_code(saved),
            **words["settings"],
        )
        head.load_state_dict({name: state[prefix + name] for name in head.state_dict()})
        return head

    def extra_repr(self) -> str:
        """One line for `print(model)`."""
        if self.reserve is not self.code:
            room = f", room for {self.reserve.num_classes}"
        else:
            room = ""
        return f"{self.code!r}{room}, preset={self.preset.name}"
