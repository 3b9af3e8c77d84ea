"""`PrototypeHead`: the last layer of a classifier, with fixed prototypes instead of a learned weight matrix.

The log-sum-exp of some numbers is the logarithm of the sum of their exponentials.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

import torch
from torch import Tensor, nn

from protosphere.errors import InvalidArgumentError, as_choice, brief
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
from protosphere.nn.vectors import check_tensor, checked_wide
from protosphere.spherical.certificate import Certificate
from protosphere.spherical.spherical_code import SphericalCode

SCORES = ("max_cosine", "margin", "energy")
"""Names of the in-distribution scores that `PrototypeHead.score` computes."""


class PrototypeHead(nn.Module):
    """Classification head with fixed prototypes, which replaces the last `nn.Linear` of a classifier.

    The head maps vectors z of R^n to K logits. It has no trainable parameters, unless `scale='learn'`. Cross-entropy,
    label smoothing, mixup, class weights and distillation work with these logits as with any others. The state_dict
    contains the prototypes in compressed form. For large codes, points that can be recomputed exactly are left out.

    Args:
        num_classes: Number K of classes, or a `SphericalCode` with K points.
        dim: Dimension n, if `num_classes` is a number. The default is the number of all classes, including reserved
            ones, minus 1, but at most 512. If `reserve` is a code, the default is the dimension of this code. Put an
            `nn.Linear(features, dim)` before the head.
        scheme: Name of the scheme of the prototypes, one of `ps.available()`, if `num_classes` is a number. 'best' is
            the code with the lowest maximum cosine that is known without a new search.
        options: Options of the scheme, if `num_classes` is a number. For example, {'budget': 5} lets 'best' search for
            5 seconds.
        preset: Name of the rule by which logits are computed from z, one of `PRESETS`. The default is 'protosphere' for
            at most 30 classes, including reserved ones, and 'soft_cap' for more. Loading a state_dict restores the
            saved preset, unless this argument is given.
        scale: Scale of the logits: 'auto' (the preset's scale, fixed), 'learn' (a parameter that starts at the preset's
            scale) or a number.
        reserve: Number of all classes, including those that `grow` can add later. It may also be a code with one point
            for each of these classes; the head first uses the first `num_classes` points of this code. By default, no
            class can be added. If `num_classes` is a code, `reserve` must be None.
        projection: Name of the algorithm for dot products with the prototypes, one of `projections.KINDS`; 'auto'
            chooses the fastest algorithm for the structure of the code.
        seed: Seed of the scheme, if the scheme is random.

    Raises:
        InvalidArgumentError: If an argument is out of range or contradicts another one.
        InfeasibleError: If the scheme has no code for K and n.

    Example:
        >>> import torch
        >>> from protosphere.nn import PrototypeHead
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
        self._own_code = any(
            isinstance(given, SphericalCode) for given in (num_classes, reserve)
        )
        self.preset = given_preset or default_preset(self.reserve.num_classes)
        self._preset_given = given_preset is not None
        self.scaling = Scale(scale, self.preset.scale(self.reserve))
        self._projection_kind = projection
        self._has_state = False
        self._use_first(in_use)
        # on the meta device a loader will fill the buffers later
        self._may_be_replaced = is_on_meta(self.projection)

    def _use_first(self, num_classes: int, dtype: torch.dtype | None = None) -> None:
        # if `dtype` is None, the buffers of the projection get torch's default dtype
        self.code = growth.first_classes(self.reserve, num_classes)
        current = getattr(self, "projection", None)
        resharded = getattr(current, "of", None)  # a ShardedProjection stays sharded
        if resharded:
            self.projection = resharded(self.code, dtype)
        else:
            self.projection = projection_for(self.code, self._projection_kind, dtype)
        remember_buffers(self.projection)

    def _refill(
        self, num_classes: int, device: torch.device, dtype: torch.dtype
    ) -> None:
        # the projection is built on the CPU and then moved
        with torch.device("cpu"):
            self._use_first(num_classes, dtype)
        self.projection.to(device)
        remember_buffers(self.projection)

    def _apply(
        self, fn: Callable[[Tensor], Tensor], recurse: bool = True
    ) -> PrototypeHead:
        # prototypes are rebuilt if their values were lost, or if `fn` casts them to a dtype of higher precision
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
        """Set training or evaluation mode, and rebuild the prototypes if a loader has replaced their buffers.

        Args:
            mode: True for training mode, False for evaluation mode.

        Returns:
            The head itself.
        """
        self._restore_lost_buffers()
        return super().train(mode)

    def _restore_lost_buffers(self) -> None:
        # the buffers are checked only once after each load
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
        """Number K of classes in use."""
        return self.projection.num_classes

    @property
    def dim(self) -> int:
        """Dimension n of the prototypes."""
        return self.projection.dim

    @property
    def certificate(self) -> Certificate:
        """Certificate of the prototypes in use: their maximum cosine, and proved bounds on the maximum cosine."""
        return self.code.certificate

    @property
    def reserve_certificate(self) -> Certificate:
        """Certificate of all prototypes in the reserve, including those of classes that are not in use yet."""
        return self.reserve.certificate

    def embed(self, z: Tensor) -> Tensor:
        """Return the vectors whose dot products with the prototypes are the logits.

        A vector is normalized as the preset of the head prescribes (some presets leave it unchanged), and multiplied by
        the scale of the logits.

        Args:
            z: (..., n) vectors.

        Returns:
            (..., n) vectors in the dtype of z. If z is in float16 or bfloat16, the computation uses float32.
        """
        return self._embedded(self._checked_input(z)).to(z.dtype)

    def _embedded(self, wide: Tensor) -> Tensor:
        scale = self.scaling.value
        if self.preset.slope is not None:
            wide = wide * (self.preset.slope / scale)
        return scale * self.preset.embed(wide)

    def _checked_input(self, z: Tensor) -> Tensor:
        # returns z, in float32 if it has half precision
        if self._may_be_replaced and not torch.compiler.is_compiling():
            self._restore_lost_buffers()
        return checked_wide(z, self.dim)

    def forward(self, z: Tensor) -> Tensor:
        """Return the logits of each vector.

        Args:
            z: (..., n) vectors, as for `nn.Linear`.

        Returns:
            (..., K) logits.
        """
        check_tensor(z)
        if z.ndim == 2:
            return self.projection(self.embed(z))
        logits = self.projection(self.embed(z).reshape(-1, self.dim))
        return logits.reshape(*z.shape[:-1], self.num_classes)

    def prototypes(self, classes: Tensor | None = None) -> Tensor:
        """Return the prototypes of the given classes, one per row.

        Args:
            classes: Vector of m class indices. By default, all K prototypes are returned.

        Returns:
            m x n prototypes.

        Raises:
            InvalidArgumentError: If `classes` has an entry that is not a class.
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
        """Return the loss that belongs to the preset, without materializing the logits of all classes.

        If this loss is cross-entropy, the method takes the options of `torch.nn.functional.cross_entropy`.

        Args:
            z: (..., n) vectors.
            target: (...) class indices. If the preset trains with cross-entropy, (..., K) probabilities of the classes
                are also allowed.
            weight: K class weights, by which the losses of the classes are multiplied. None means weights of 1.
            label_smoothing: Fraction of the target's probability that is spread evenly over all classes.
            reduction: 'none' for one loss per vector, 'sum' for the sum of these losses, or 'mean' for their mean. If
                `target` has class indices, the mean is the sum of the losses divided by the sum of the class weights of
                the targets.
            ignore_index: Entry of `target` for vectors that do not contribute to the loss. It is not used if `target`
                has probabilities.

        Returns:
            The loss, a scalar. If `reduction` is 'none', a tensor of shape (...) with one loss per vector.

        Raises:
            InvalidArgumentError: If the shapes of z and target do not match, if the target is not valid, or if an
                option of cross-entropy is given but the preset trains with another loss.
        """
        wide = self._checked_input(z)
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
        """Return the k nearest prototypes of each vector without materializing the cosines with all K prototypes.

        Args:
            z: (..., n) vectors.
            k: Number of prototypes, at most K.

        Returns:
            A named tuple of the cosines of each vector with its k nearest prototypes, and the classes of these
            prototypes. Both tensors have the shape (..., k) and list the nearest prototype first.

        Raises:
            InvalidArgumentError: If `k` is not between 1 and K.
        """
        rows = unit(self._checked_input(z)).reshape(-1, self.dim)
        cosines, classes = self.projection.top(rows, k)
        shape = (*z.shape[:-1], k)
        return Nearest(cosines.reshape(shape), classes.reshape(shape))

    def parts(self, z: Tensor) -> PartDecisions:
        """Return the most probable value of each part, for classes that consist of several parts.

        Codes of such classes are built by `ps.compose`. A syllable, for example, consists of an initial, a vowel and a
        final. Each part is decided independently. If only some combinations of values are classes, the result may be a
        combination that is not a class.

        Args:
            z: (..., n) vectors.

        Returns:
            A named tuple. `values` has the (..., P) indices of the most probable values, for P parts. `confidences` has
            the (..., P) probabilities of these values; the probabilities of all values of a part sum to 1. `names` has
            the names of the parts and values, or is None if the code has no such names.

        Raises:
            InvalidArgumentError: If the classes do not consist of parts.

        Example:
            >>> import protosphere as ps, torch
            >>> from protosphere.nn import PrototypeHead
            >>> head = PrototypeHead(ps.compose(sizes=(19, 21, 28)))
            >>> head.parts(head.prototypes(torch.tensor([28 * 21 * 3 + 28 * 5 + 7]))).values
            tensor([[3, 5, 7]])
        """
        rows = self._embedded(self._checked_input(z)).reshape(-1, self.dim)
        found = part_decisions(self.code, self.projection, rows)
        shape = (*z.shape[:-1], found.values.shape[1])
        return found._replace(
            values=found.values.reshape(shape),
            confidences=found.confidences.reshape(shape),
        )

    def score(self, z: Tensor, kind: str = "energy") -> Tensor:
        """Return an in-distribution score for each vector. A higher score means that a known class is more likely.

        Args:
            z: (..., n) vectors.
            kind: 'energy' (log-sum-exp of the logits), 'max_cosine' (cosine with the nearest prototype) or 'margin'
                (cosine with the nearest prototype minus the cosine with the second nearest prototype).

        Returns:
            (...) scores.

        Raises:
            InvalidArgumentError: If `kind` is not one of these.
        """
        wide = self._checked_input(z)
        as_choice("kind", kind, SCORES)
        if kind == "energy":
            rows = self._embedded(wide).reshape(-1, self.dim)
            return self.projection.log_sum_exp(rows).reshape(z.shape[:-1])
        if kind == "margin":
            cosines = self.decode(wide, 2).cosines
            return cosines[..., 0] - cosines[..., 1]
        return self.decode(wide).cosines[..., 0]

    def grow(self, num_classes: int) -> PrototypeHead:
        """Add classes, in place, whose prototypes the argument `reserve` of the head has set aside.

        The prototypes in use and the scale do not change.

        Args:
            num_classes: New number of classes in use, between the current number and the number of all classes in the
                reserve.

        Returns:
            The head itself.

        Raises:
            InvalidArgumentError: If `num_classes` is below the current number or above the number in the reserve.
        """
        growth.require_room(
            self.reserve, self.num_classes, num_classes, own_code=self._own_code
        )
        like = like_buffers(self.projection)
        self._refill(num_classes, like.device, like.dtype)
        return self

    def get_extra_state(self) -> Tensor:
        """Return the prototypes and the settings of the head as one uint8 tensor, for `state_dict`."""
        settings = {
            "preset": self.preset.name,
            "scale": self.scaling.setting,
            "projection": self._projection_kind,
        }
        return checkpoint.packed_state(
            self.code, self.reserve, settings, self.scaling.start
        )

    def set_extra_state(self, state: Tensor) -> None:
        """Load the prototypes and settings that `state_dict` saved. `load_state_dict` calls this method.

        Args:
            state: The uint8 tensor that `get_extra_state` returned.

        Raises:
            InvalidArgumentError: If the state is damaged, if it has more classes in use than this head, or if its
                prototypes are not those of this head. Differences by rounding or between versions of protosphere are
                allowed.
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
        """Return the head that a checkpoint contains, with its saved prototypes and settings.

        Args:
            state: State dict of a model.
            prefix: Name of the head in the model, followed by a dot, such as 'head.'. It is empty if `state` is the
                state dict of the head itself.

        Raises:
            InvalidArgumentError: If the state dict has no head with this prefix, or the state of the head is damaged.
        """
        if not isinstance(cast("object", state), Mapping):
            raise InvalidArgumentError(
                f"'state' must be a state dict, got {brief(state)}; torch.load(path) reads one from a file"
            )
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
        """Return a one-line description of the head, which `print(model)` shows."""
        room = ""
        if self.reserve is not self.code:
            room = f", room for {self.reserve.num_classes}"
        return f"{self.code!r}{room}, preset={self.preset.name}"
