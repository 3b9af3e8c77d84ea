"""The last layer of a classifier, with fixed prototypes instead of a learned matrix."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, cast

import torch
from torch import Tensor, nn

from protosphere.code.certificate import Certificate
from protosphere.code.spherical_code import SphericalCode
from protosphere.errors import InvalidArgumentError, as_integer
from protosphere.nn import checkpoint, growth, unknown
from protosphere.nn.functional import unit
from protosphere.nn.losses import LOSSES
from protosphere.nn.presets import preset_named
from protosphere.nn.projections import Projection, projection_for
from protosphere.nn.scale import Scale
from protosphere.nn.streaming import widened

LARGEST_DEFAULT_DIM = 512
"""Without `dim` a head has K - 1 dimensions, where the simplex lives, but no more than this."""


Top = Callable[[Tensor, int], tuple[Tensor, Tensor]]
"""(vectors, k) to their k largest dot products with the prototypes, and the classes of those."""


class Nearest(NamedTuple):
    """The nearest prototypes of each input, nearest first: their cosines and their classes, both B x k."""

    cosines: Tensor
    classes: Tensor


class PrototypeHead(nn.Module):
    """z of R^n to K logits, by fixed prototypes: drop-in for the last `nn.Linear`, with nothing to learn.

    Cross-entropy, label smoothing, mixup, class weights and distillation work on its logits as on any others.
    Prototypes are rebuilt from provenance: a state_dict holds that and a digest, no matrix.

    Args:
        code_or_num_classes: a `SphericalCode`, or K.
        dim: n, for a K; K - 1 up to 512 without it. Put an `nn.Linear(features, dim)` before the head.
        scheme: for a K, one of `ps.available()`; 'best' is the best that is known, without a search of its own.
        options: the scheme's own, e.g. {'modify': True}; {'budget': 5} lets 'best' search.
        preset: how z becomes logits, see `presets.PRESETS`.
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
        code_or_num_classes: SphericalCode | int,
        *,
        dim: int | None = None,
        scheme: str = "best",
        options: Mapping[str, Any] | None = None,
        preset: str = "protosphere",
        scale: float | str = "auto",
        reserve: int | SphericalCode | None = None,
        projection: str = "auto",
        seed: int = 0,
    ) -> None:
        super().__init__()
        self.preset = preset_named(preset)
        self.reserve, num_classes = _reserve(
            code_or_num_classes, dim, reserve, lambda K, n: growth.built(scheme, K, n, seed, options or {})
        )
        self.scaling = Scale(scale, self.preset.scale(self.reserve.num_classes, float(self.reserve.max_cosine)))
        self._projection_kind = projection
        self._use(num_classes)

    def _use(self, num_classes: int, dtype: torch.dtype | None = None) -> None:
        self.code = growth.first_classes(self.reserve, num_classes)
        self.projection = projection_for(self.code, self._projection_kind, dtype)

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> PrototypeHead:
        """`.to()` and its kin: in a finer type, or after having had no memory, prototypes come from the code anew."""
        before = self._like()
        cast("Any", super())._apply(fn, recurse)  # torch has no types for it
        after = self._like()
        finer = torch.finfo(after.dtype).eps < torch.finfo(before.dtype).eps
        ours = isinstance(cast("object", self.projection), Projection)  # there may be a ShardedProjection in its place
        if ours and (finer or (before.is_meta and not after.is_meta)):
            fresh = projection_for(self.code, self._projection_kind, after.dtype)
            self.projection.take_buffers(fresh.to(after.device))
        return self

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
        return self.scaling(self.preset.embed(self._wide(z))).to(z.dtype)

    def _wide(self, z: Tensor) -> Tensor:
        """z in float32 for half types; one sentence for what cannot be compared with prototypes."""
        if not z.is_floating_point():
            raise InvalidArgumentError(f"'z' must be of a floating type, got {z.dtype}; z.float() makes it one")
        if not z.ndim or z.shape[-1] != self.dim:
            got = tuple(z.shape)
            raise InvalidArgumentError(f"'z' must be of shape (batch, {self.dim}), the code's dimension, got {got}")
        return widened(z)

    def forward(self, z: Tensor) -> Tensor:
        """The logits, B x K; any dimensions before the last, as of `nn.Linear`."""
        if z.ndim == 2:
            return self.projection(self.embed(z))
        logits = self.projection(self.embed(z).reshape(-1, self.dim))
        return logits.reshape(*z.shape[:-1], self.num_classes)

    def prototypes(self, classes: Tensor | None = None) -> Tensor:
        """The prototypes of these classes, or all of them, one a row."""
        which = torch.arange(self.num_classes, device=self._like().device) if classes is None else classes
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
        """The preset's loss without ever holding B x K logits: exact, for any number of classes.

        It takes what torch's cross_entropy takes, classes or probabilities, the class dimension last as in the logits.
        """
        if self.preset.loss == "cross_entropy":
            embedded = self.embed(self._wide(z))
            return self.projection.cross_entropy(
                embedded, target, weight, label_smoothing, reduction, ignore_index=ignore_index
            )
        if weight is not None or (label_smoothing, reduction, ignore_index) != (0, "mean", -100):
            raise InvalidArgumentError(
                "'weight', 'label_smoothing', 'reduction' and 'ignore_index' go with cross-entropy, and preset "
                f"'{self.preset.name}' has another loss; preset='protosphere' takes them"
            )
        return LOSSES[self.preset.loss].function(self._wide(z), target, self.projection)

    def decode(self, z: Tensor, k: int = 1, top: Top | None = None) -> Nearest:
        """The k nearest prototypes of each z, streaming; exact, unless `top` is an `ApproximateTop(head.code)`."""
        return Nearest(*(top or self.projection.top)(unit(self._wide(z)), k))

    def score(self, z: Tensor, kind: str = "max_cosine") -> Tensor:
        """How surely z is of a known class: 'max_cosine', 'margin' or 'energy' (see `unknown`), streaming."""
        wide = self._wide(z)
        return unknown.scores(wide, self.embed(wide), self.projection, kind)

    def grow(self, num_classes: int) -> PrototypeHead:
        """Use the first `num_classes` of the reserve, in place. Old prototypes, and the scale, stay bit for bit."""
        if as_integer("num_classes", num_classes, minimum=2) < self.num_classes:
            raise InvalidArgumentError(
                f"'num_classes' must be at least the {self.num_classes} of now, got {num_classes}"
            )
        like = self._like()
        self._use(num_classes, like.dtype)
        self.projection.to(like.device)
        return self

    def _like(self) -> Tensor:
        """A tensor with the dtype and on the device of this head."""
        return next((buffer for buffer in self.buffers() if buffer.is_floating_point()), torch.empty(0))

    def get_extra_state(self) -> Tensor:
        """Provenance and digest of the code, and the settings, for `state_dict`."""
        settings = {"preset": self.preset.name, "scale": self.scaling.setting, "projection": self._projection_kind}
        return checkpoint.packed_state(self.code, self.reserve, settings)

    def set_extra_state(self, state: Tensor) -> None:
        """Refuse, in one sentence, the state of a head with other prototypes."""
        checkpoint.require_same_code(checkpoint.unpacked_state(state), self.code, self.reserve)

    @classmethod
    def from_state_dict(cls, state: Mapping[str, Any], prefix: str = "") -> PrototypeHead:
        """The head of a checkpoint, its code built again from provenance; `prefix` as in 'head.'."""
        key = f"{prefix}_extra_state"
        if key not in state:
            raise InvalidArgumentError(f"'state' has no {key!r}: give 'prefix', the head's name in the model and a dot")
        saved = checkpoint.unpacked_state(state[key])
        head = cls(saved["num_classes"], reserve=checkpoint.saved_code(saved), **saved["settings"])
        head.load_state_dict({name: state[prefix + name] for name in head.state_dict()})
        return head

    def extra_repr(self) -> str:
        """One line for `print(model)`."""
        room = f", room for {self.reserve.num_classes}" if self.reserve is not self.code else ""
        return f"{self.code!r}{room}, preset={self.preset.name}"


def _reserve(
    given: SphericalCode | int,
    dim: int | None,
    reserve: int | SphericalCode | None,
    build: Callable[[int, int], SphericalCode],
) -> tuple[SphericalCode, int]:
    """The code of all classes there may ever be, and how many there are now."""
    if isinstance(given, SphericalCode):
        if dim not in (None, given.dim) or reserve is not None:
            raise InvalidArgumentError("'dim' and 'reserve' go with a number of classes, got a code, which has them")
        return given, given.num_classes
    K = as_integer("code_or_num_classes", given, minimum=2)
    if isinstance(reserve, SphericalCode):
        if dim not in (None, reserve.dim):
            raise InvalidArgumentError(f"'dim' must be the reserve's, {reserve.dim}, or left out, got {dim}")
        return reserve, K
    room = K if reserve is None else as_integer("reserve", reserve, minimum=K)
    n = min(room - 1, LARGEST_DEFAULT_DIM) if dim is None else as_integer("dim", dim, minimum=1)
    code = build(room, n)
    return (growth.in_nested_order(code, K) if room > K else code), K
