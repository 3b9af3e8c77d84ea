"""Module that computes dot products with all prototypes of a code, and weighted sums of these prototypes.

The prototypes are the points of one or more blocks. A block has points of one kind, such as the rows of a matrix or the
codewords of cosets, and computes dot products with its points and weighted sums of its points. A unit is a group of
points of a block that is never divided, such as one row of a matrix or all codewords of one coset.

Point i is the point with index i, counted from 0 through all blocks in their order. A projection is sharded if several
processes share its blocks: each process has some of the units of each block, or none. The log-sum-exp of some numbers
is the logarithm of the sum of their exponentials.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import torch
from torch import Tensor, nn

from protosphere.errors import InvalidArgumentError, as_integer
from protosphere.nn.custom_ops import new_handle
from protosphere.nn.kernels.registry import backend_for
from protosphere.nn.kernels.threaded import (
    by_rows,
    gathered_rows,
    threaded_log_sum_exp,
    threaded_softmax_terms,
    threaded_weighted_sum,
    without_autocast,
)
from protosphere.nn.projections.all_combinations import AllCombinationsBlock
from protosphere.nn.projections.block import (
    ProjectionBlock,
    TopK,
    empty_top_k,
    merged_top_k,
    tiled_moment,
)
from protosphere.nn.streaming.cross_entropy import (
    classes_in_range,
    streamed_cross_entropy,
)
from protosphere.nn.streaming.softmax import Dims, folded, log_sum_exp, unfolded
from protosphere.nn.tracing import call, is_recorded, under_transform
from protosphere.nn.vectors import check_vectors, checked_wide, widened

WEIGHTS_ENTRIES = 1 << 20
"""Largest number of weights that are multiplied and reordered at a time: 4 MB in float32."""


@dataclass(frozen=True, eq=False)
class BlockSpec:
    """Description of a block of points, from which the block or a part of it is built.

    The points of a block are divided into units, which all have the same number of points. A unit is, for example, one
    row of a matrix, or the codewords of one coset.

    Attributes:
        units: Number of units of points in the block.
        unit: Number of points per unit.
        build: Function (first, last) that returns a block with the points of the units first, ..., last - 1.
    """

    units: int
    unit: int
    build: Callable[[int, int], nn.Module]


@dataclass(frozen=True, eq=False)
class ProjectionPlan:
    """Description from which a projection is built.

    Attributes:
        kind: Name of the algorithm: 'dense' (product with a matrix), 'hadamard' (codewords in cosets of a linear code),
            'axes' (points +e_i or -e_i), 'simplex' (a regular simplex), 'simplices' (regular simplices in orthogonal
            subspaces), 'parts' (each class is a combination of one value of each of several parts) or 'quantized'
            (points that are stored as indices into small tables of vectors).
        blocks: Descriptions of the blocks. The points of the projection are the points of the first block, followed by
            the points of the second block, and so on.
        position: Vector of K indices: the prototype of class i is point position[i]. If None, the prototype of class i
            is point i.
    """

    kind: str
    blocks: tuple[BlockSpec, ...]
    position: Tensor | None = None


class Projection(nn.Module):
    """Module that maps z to the dot products (z c_1, ..., z c_K) with the prototypes c_1, ..., c_K of a code.

    The function `projection_for` returns such a module. The module has no parameters. Its buffers are not saved in a
    state_dict, because they can be rebuilt from the code.

    Args:
        plan: Description of the blocks of the projection, which the function `plan_for` makes from a code.
        num_classes: Number K of classes.
        dim: Dimension n.
        rank: Index of this process, from 0 to `world` - 1.
        world: Number of processes that share the points of the plan. If it is 1, this process has all points.

    Attributes:
        num_classes: Number K of classes.
        dim: Dimension n.
        kind: Name of the algorithm: 'dense' (product with a matrix), 'hadamard' (codewords in cosets of a linear code),
            'axes' (points +e_i or -e_i), 'simplex' (a regular simplex), 'simplices' (regular simplices in orthogonal
            subspaces), 'parts' (each class is a combination of one value of each of several parts) or 'quantized'
            (points that are stored as indices into small tables of vectors).
        blocks: Blocks of points. A sharded projection has only the blocks of this process.
        starts: For each block in `blocks`, the index of its first point among the points of the whole projection.
        position: Vector of K indices: the prototype of class i is point position[i]. If None, the prototype of class i
            is point i.
        classes: Vector of K indices: point i is the prototype of class classes[i]. If None, point i is the prototype of
            class i.
        has_all_combinations: True if the property `all_combinations` has a block, and False if it is None.
        handle: Integer that identifies the projection in compiled graphs.

    Example:
        >>> import protosphere as ps
        >>> from protosphere.nn.projections import projection_for
        >>> projection = projection_for(ps.construct("simplex", num_classes=10, dim=9))
        >>> projection.num_classes, projection.dim
        (10, 9)
    """

    position: Tensor | None
    classes: Tensor | None

    def __init__(
        self,
        plan: ProjectionPlan,
        num_classes: int,
        dim: int,
        rank: int = 0,
        world: int = 1,
    ) -> None:
        super().__init__()
        self.blocks = nn.ModuleList()
        self.starts = list[int]()
        start = 0
        for spec in plan.blocks:
            first = spec.units * rank // world
            last = spec.units * (rank + 1) // world
            if first < last:
                self.blocks.append(spec.build(first, last))
                self.starts.append(start + first * spec.unit)
            start += spec.units * spec.unit
        self.kind = plan.kind
        self.num_classes = num_classes
        self.dim = dim
        self.register_buffer("position", plan.position, persistent=False)
        classes = None if plan.position is None else plan.position.argsort()
        self.register_buffer("classes", classes, persistent=False)
        self.has_all_combinations = self.all_combinations is not None
        self.handle = new_handle(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        cast("Any", super()).__setstate__(state)  # torch has no types for it
        self.handle = new_handle(self)  # a copy needs its own handle

    @property
    def typed_blocks(self) -> list[ProjectionBlock]:
        """The modules in `blocks`, as a list of `ProjectionBlock` for the type checker."""
        return cast("list[ProjectionBlock]", list(self.blocks))

    @property
    def num_points(self) -> int:
        """Number of points of all blocks of this process. If the projection is not sharded, this is K."""
        return sum(block.num_points for block in self.typed_blocks)

    @property
    def scores_per_row(self) -> int:
        """Number of dot products that the blocks of this process together compute for each vector z."""
        return sum(block.scores_per_row for block in self.typed_blocks)

    @property
    def all_combinations(self) -> AllCombinationsBlock | None:
        """The only block, if its points are all combinations of one value of each of several parts; otherwise None.

        Codes from `ps.compose` have such a block. If the module has several blocks, the value is None.
        """
        block = self.blocks[0] if len(self.blocks) == 1 else None
        return block if isinstance(block, AllCombinationsBlock) else None

    def forward(self, z: Tensor) -> Tensor:
        """Return the B x K dot products of vectors with all prototypes, in the order of the classes.

        Args:
            z: B x n vectors.

        Returns:
            B x K dot products, in the dtype of z.
        """
        check_vectors(z, self.dim)
        with without_autocast(z):
            found = [block(z) for block in self.typed_blocks]
            products = found[0] if len(found) == 1 else torch.cat(found, dim=-1)
            if self.position is None:
                return products
            return products.index_select(-1, self.position)

    def prototypes(self, index: Tensor, like: Tensor | None = None) -> Tensor:
        """Return the prototypes of the given classes, one per row.

        Args:
            index: Vector of class indices.
            like: Tensor whose dtype and device the prototypes get. By default, they get torch's default dtype and the
                device of `index`.

        Raises:
            InvalidArgumentError: If an entry of `index` is not between 0 and K - 1. Compiled and exported graphs do not
                check this.
        """
        if under_transform():
            index = classes_in_range("index", index, self.num_classes)
        elif len(index) and not torch.compiler.is_compiling() and not is_recorded():
            lowest = int(index.min())
            highest = int(index.max())
            last = self.num_classes - 1
            if lowest < 0 or highest > last:
                raise InvalidArgumentError(
                    f"'index' must lie in 0, ..., {last}, got {lowest}..{highest}"
                )
        if like is None:
            like = torch.empty(0, device=index.device)
        return self.rows(index, like)

    def rows(self, classes: Tensor, like: Tensor) -> Tensor:
        """Return the prototypes of the given classes, one per row, without checking that the classes exist.

        Args:
            classes: Vector of class indices, all between 0 and K - 1.
            like: Tensor whose dtype and device the prototypes get.

        Returns:
            One row per class. If the projection is sharded, the rows of prototypes that belong to other processes are
            zero.
        """
        points = classes if self.position is None else self.position[classes]
        rows = like.new_zeros(points.shape[0], self.dim)
        for block, start in zip(self.typed_blocks, self.starts, strict=True):
            inside = (points >= start) & (points < start + block.num_points)
            index = (points - start).clamp(0, block.num_points - 1)
            rows = torch.where(inside[:, None], block.rows(index, rows), rows)
        return rows

    def plain_log_sum_exp(self, z: Tensor) -> Tensor:
        """Return, for each row of z, the log-sum-exp of its dot products with the prototypes.

        The log-sum-exps are computed by standard operations of torch, which all transforms and exporters of torch
        support.

        Args:
            z: B x n vectors, not in float16 or bfloat16.

        Returns:
            B log-sum-exps, differentiable.
        """
        block = self.all_combinations
        if block is None:
            return self(z).logsumexp(1)
        with without_autocast(z):
            return block.plain_log_sum_exp(z)

    def plain_mean(self, z: Tensor) -> Tensor:
        """Return a mean prototype for each row of z, by standard operations of torch.

        The mean prototype of a row is the mean of all prototypes, weighted by the softmax of their dot products with
        the row. This mean is the gradient of the log-sum-exp of these dot products with respect to the row. The result
        is differentiable.

        Args:
            z: B x n vectors, not in float16 or bfloat16.

        Returns:
            B x n mean prototypes.
        """
        block = self.all_combinations
        with without_autocast(z):
            if block is None:
                return self(z).softmax(1) @ self.rows(
                    torch.arange(self.num_classes, device=z.device), z
                )
            return block.plain_mean(z)

    def log_sum_exp(self, z: Tensor) -> Tensor:
        """Return, for each row of z, the log-sum-exp of its dot products with the prototypes.

        The B x K dot products are not in memory all at once.

        Args:
            z: B x n vectors.

        Returns:
            B log-sum-exps, differentiable. They are in float32 if z is in float16 or bfloat16, and otherwise in the
            dtype of z.
        """
        check_vectors(z, self.dim)
        return log_sum_exp(z, self)

    def softmax_terms(
        self, z: Tensor, classes: Tensor | None, with_mean: bool
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return the log-sum-exp, the mean prototype and the target prototype for each row of z.

        The log-sum-exp is taken over the dot products of the row with all prototypes. The mean prototype is the mean of
        all prototypes, weighted by the softmax of these dot products. The target prototype is the prototype of the
        row's target class. The results have no gradient.

        Args:
            z: B x n vectors.
            classes: B target classes. If None, no target prototypes are returned.
            with_mean: If True, the mean prototypes are computed. If False, they are not.

        Returns:
            B log-sum-exps, B x n mean prototypes and B x n target prototypes. If `with_mean` is False, the tensor of
            mean prototypes is empty, B x 0. If `classes` is None, the tensor of target prototypes is empty, B x 0.
        """
        block = self.all_combinations
        if block is not None and classes is not None:
            points = classes if self.position is None else self.position[classes]
            return threaded_softmax_terms(z, points, block, with_mean)
        value, mean = self.log_sum_exp_and_mean(z, with_mean)
        if classes is None:
            return value, mean, z.new_empty(len(z), 0)
        return value, mean, self.rows(classes, z)

    def log_sum_exp_and_mean(self, z: Tensor, with_mean: bool) -> tuple[Tensor, Tensor]:
        """Return, for each row of z, the log-sum-exp of its dot products with the prototypes, and a mean prototype.

        The mean prototype of a row is the mean of all prototypes, weighted by the softmax of these dot products. The
        results have no gradient.

        Args:
            z: B x n vectors.
            with_mean: If True, the mean prototypes are computed. If False, they are not.

        Returns:
            B log-sum-exps and B x n mean prototypes. If `with_mean` is False, the second tensor is empty, B x 0.
        """
        return threaded_log_sum_exp(z, self.typed_blocks, with_mean)

    def moment(
        self, z: Tensor, log_sum_exps: Tensor, directions: Sequence[Tensor]
    ) -> Tensor:
        """Return, for each row of z, a weighted sum of the prototypes that occurs in derivatives of the log-sum-exp.

        For a row z with log-sum-exp l and directions v_1, ..., v_r, the weight of the prototype c_k is exp(z . c_k - l)
        times the r dot products v_1 . c_k, ..., v_r . c_k. Without directions (r = 0), the weights are exp(z . c_k -
        l). The result has no gradient.

        Args:
            z: B x n vectors.
            log_sum_exps: The B log-sum-exps l.
            directions: A list of r tensors, each B x n. Row i of tensor j is the direction v_j of row i of z.

        Returns:
            B x n weighted sums.
        """

        def of_rows(rows: slice) -> Tensor:
            some = [direction[rows] for direction in directions]
            found = [
                tiled_moment(z[rows], log_sum_exps[rows], some, block)
                for block in self.typed_blocks
            ]
            return torch.stack(found).sum(0)

        return torch.cat(by_rows(of_rows, z, self.scores_per_row))

    def weighted_prototypes(
        self, weights: Tensor, factors: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Return the weighted sum of the prototypes, and the sum of the weights, for each row of `weights`.

        The results have no gradient.

        Args:
            weights: B x K weights.
            factors: K factors by which the columns of `weights` are multiplied. If None, the weights are not changed.

        Returns:
            B x n weighted sums of the prototypes, and the B sums of the weights after the multiplication by the
            factors. Both are in float32 if the weights are in float16 or bfloat16, and otherwise in the dtype of the
            weights.
        """
        # some rows at a time, because reordering needs memory for a copy
        size = max(1, WEIGHTS_ENTRIES // weights.shape[1])
        sums = [widened(weights[:0]).new_zeros(0, self.dim)]
        totals = [widened(weights[:0]).new_zeros(0)]
        with torch.no_grad(), without_autocast(weights):
            for start in range(0, len(weights), size):
                rows = widened(weights[start : start + size])
                if factors is not None:
                    rows = rows * factors
                sums.append(self._weighted_points(rows))
                totals.append(rows.sum(1))
        return torch.cat(sums), torch.cat(totals)

    def _weighted_points(self, weights: Tensor) -> Tensor:
        if self.classes is not None:
            weights = weights.index_select(1, self.classes)
        total = weights.new_zeros(len(weights), self.dim)
        for block, first in zip(self.typed_blocks, self.starts, strict=True):
            own = weights[:, first : first + block.num_points]
            total = total + threaded_weighted_sum(own, block)
        return total

    def cross_entropy(
        self,
        z: Tensor,
        target: Tensor,
        weight: Tensor | None = None,
        label_smoothing: float = 0.0,
        reduction: str = "mean",
        scale: float | Tensor = 1.0,
        ignore_index: int = -100,
    ) -> Tensor:
        """Return the cross-entropy of the logits `scale * self(z)` without materializing the logits.

        The result equals that of `torch.nn.functional.cross_entropy` with these logits.

        Args:
            z: (..., n) vectors.
            target: (...) class indices, or (..., K) probabilities of the classes.
            weight: K class weights, by which the losses of the classes are multiplied. If None, all weights are 1.
            label_smoothing: Fraction of the target's probability that is spread evenly over all classes.
            reduction: 'none' for one loss per vector, 'sum' for the sum of these losses, or 'mean' for their mean. If
                `target` has class indices, the mean is the sum of the losses divided by the sum of the class weights of
                the targets.
            scale: Factor by which the dot products of z with the prototypes are multiplied to give logits.
            ignore_index: Entry of `target` for vectors that do not contribute to the loss. It is not used if `target`
                has probabilities.

        Returns:
            The loss, a scalar. If `reduction` is 'none', a tensor of shape (...) with one loss per vector.

        Raises:
            InvalidArgumentError: If an option or the target is not valid.
        """
        wide = checked_wide(z, self.dim)
        if isinstance(scale, Tensor) or scale != 1.0:
            wide = wide * scale
        return streamed_cross_entropy(
            self, wide, target, weight, label_smoothing, reduction, ignore_index
        )

    def top(self, z: Tensor, k: int = 1) -> TopK:
        """Return the k largest dot products of each row of z with the prototypes, and the classes of these prototypes.

        The dot products are in descending order. The results have no gradient.

        Args:
            z: B x n vectors.
            k: Number of classes, at most K.

        Returns:
            B x k dot products, and the B x k classes.

        Raises:
            InvalidArgumentError: If `k` is not between 1 and K.
        """
        check_vectors(z, self.dim)
        if as_integer("k", k, minimum=1) > self.num_classes:
            raise InvalidArgumentError(
                f"'k' must be at most the {self.num_classes} classes, got {k}"
            )
        block = self.all_combinations
        if is_recorded():
            if block is None:
                return self(widened(z)).topk(k, dim=1)
            values, points = block.top_k(widened(z), k)
        elif under_transform():
            values, points = call(_TopPoints, z, self, k)
        else:
            values, points = self.top_points(z, k)
        return values, points if self.classes is None else self.classes[points]

    def top_points(self, z: Tensor, k: int) -> TopK:
        """Return the k largest dot products of each row of z with points of this process, and their indices.

        If the projection is not sharded, this process has all points. The index of a point is counted from 0 through
        the points of all processes, block after block. It may differ from the index of the class of the point.

        Args:
            z: B x n vectors.
            k: Number of points.

        Returns:
            B x k dot products in descending order, and the B x k indices of the points. If this process has only m < k
            points, both tensors have m columns.
        """

        def of_rows(rows: slice) -> TopK:
            wide = widened(z[rows])
            found = empty_top_k(wide)
            for block, first in zip(self.typed_blocks, self.starts, strict=True):
                backend = backend_for(block, wide)
                values, index = backend.top_k(block, wide, min(k, block.num_points))
                found = merged_top_k(found, (values, index + first), k)
            return found

        values, points = gathered_rows(of_rows, z, self.scores_per_row)
        return values.to(z.dtype), points


class _TopPoints(torch.autograd.Function):
    @staticmethod
    def forward(z: Tensor, projection: Projection, k: int) -> TopK:
        return projection.top_points(z.detach(), k)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: TopK) -> None:
        del inputs
        ctx.mark_non_differentiable(*output)

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> tuple[None, None]:
        del ctx, tangents
        return None, None

    @staticmethod
    def vmap(info: Any, in_dims: Dims, *args: Any) -> tuple[Any, tuple[int, int]]:
        rows = folded(info, in_dims[:1], args[:1])
        return unfolded(info, *call(_TopPoints, *rows, *args[1:])), (0, 0)
