"""Functions that choose a projection for a code by the structure of its points.

The scheme that constructed the points does not matter. A projection is a module that maps a vector to its dot products
with all prototypes. A plan is a description from which a projection is built. A kind is a name of an algorithm for
these dot products, such as 'dense' for a product with a matrix.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from protosphere.errors import InvalidArgumentError, as_choice
from protosphere.geometry.simplex import simplex_points
from protosphere.nn.kernels.buffers import as_tensor
from protosphere.nn.projections.all_combinations import AllCombinationsBlock
from protosphere.nn.projections.axes import AxesBlock
from protosphere.nn.projections.combinations import CombinationsBlock
from protosphere.nn.projections.dense import DenseBlock, matrix
from protosphere.nn.projections.hadamard import HadamardBlock
from protosphere.nn.projections.hadamard_layout import found_layout
from protosphere.nn.projections.part_tables import PartTables
from protosphere.nn.projections.projection import BlockSpec, Projection, ProjectionPlan
from protosphere.nn.projections.quantized_tables import QuantizedTables
from protosphere.nn.projections.simplices import SimplicesBlock
from protosphere.spherical.spherical_code import SphericalCode
from protosphere.spherical.structures import (
    OrthogonalSimplices,
    ProductPoints,
    QuantizedPoints,
)
from protosphere.spherical.structures.sign_rows import ENTRY_TOLERANCE
from protosphere.types import Indices, Points

SHORT = 100
"""Largest dimension n for which the projection 'hadamard' is used only to save memory, if a matrix would be large.

For such n, this projection is hardly faster than a matrix: it is 1.4 times as fast at n = 64 and K = 4,096, and 0.7
times as fast with glue vectors at n = 70 and K = 16,000.
"""

LARGE = 1 << 26
"""Smallest number K n of entries for which a matrix counts as large: 256 MB in float32."""

LARGEST_INDEX = (1 << 63) - 1
"""The largest index of a tensor."""


@dataclass(frozen=True)
class Entry:
    """A kind of projection that is faster than a product with a matrix for some codes.

    Attributes:
        plan: Function from a code and the dtype of buffers to the plan from which the projection is built. It returns
            None if the code does not have the structure that this kind of projection needs.
        smallest: Smallest product K n for which this kind is faster than a matrix, if n is larger than `above_dim`.
        above_dim: Largest dimension n for which this kind is not faster than a matrix, whatever K is.
    """

    plan: Callable[[SphericalCode, torch.dtype], ProjectionPlan | None]
    smallest: int
    above_dim: int = 0

    def pays(self, num_classes: int, dim: int) -> bool:
        """Return True if a projection of this kind should be used for a code of this size instead of a matrix.

        This is the case if the projection is faster than a matrix, or if a matrix would have at least 2^26 entries
        (`LARGE`).

        Args:
            num_classes: Number of classes K.
            dim: Dimension n.
        """
        size = num_classes * dim
        return size >= LARGE or (size >= self.smallest and dim > self.above_dim)


def projection_for(
    code: SphericalCode, kind: str = "auto", dtype: torch.dtype | None = None
) -> Projection:
    """Return a module that computes the dot products with all points of a code, in the order of its classes.

    Args:
        code: The prototypes.
        kind: Name of the algorithm. 'auto' chooses the fastest algorithm for the structure and size of the code.
            'dense' is a product with a matrix. The others need a structure: 'hadamard' (codewords in cosets of a linear
            code), 'axes' (points +e_i or -e_i), 'simplex' (a regular simplex), 'simplices' (regular simplices in
            orthogonal subspaces), 'parts' (each class is a combination of one value of each of several parts) and
            'quantized' (points that are stored as indices into small tables of vectors).
        dtype: Dtype of the buffers. If None, it is torch's default dtype. The inputs may have another dtype.

    Returns:
        The projection.

    Raises:
        InvalidArgumentError: If `kind` is none of these names, if the code does not have the structure that `kind`
            needs, or if the code has more than 2^63 - 1 classes.

    Example:
        >>> import protosphere as ps
        >>> projection_for(ps.construct("cross_polytope", num_classes=4, dim=2))(torch.tensor([[3.0, 2.0]])).tolist()
        [[3.0, -3.0, 2.0, -2.0]]
    """
    return Projection(plan_for(code, kind, dtype), code.num_classes, code.dim)


def plan_for(
    code: SphericalCode, kind: str = "auto", dtype: torch.dtype | None = None
) -> ProjectionPlan:
    """Return the plan from which the module is built that computes the dot products with all points of a code.

    Args:
        code: The prototypes.
        kind: Name of the algorithm. 'auto' chooses the fastest algorithm for the structure and size of the code.
            'dense' is a product with a matrix. The others need a structure: 'hadamard' (codewords in cosets of a linear
            code), 'axes' (points +e_i or -e_i), 'simplex' (a regular simplex), 'simplices' (regular simplices in
            orthogonal subspaces), 'parts' (each class is a combination of one value of each of several parts) and
            'quantized' (points that are stored as indices into small tables of vectors).
        dtype: Dtype of the buffers. If None, it is torch's default dtype.

    Raises:
        InvalidArgumentError: If `kind` is none of these names, if the code does not have the structure that `kind`
            needs, or if the code has more than 2^63 - 1 classes.
    """
    as_choice("kind", kind, KINDS)
    kept = dtype or torch.get_default_dtype()
    for name in _names_to_try(code, kind):
        plan = PROJECTIONS[name].plan(code, kept)
        if plan is not None:
            return plan
    if kind in PROJECTIONS:
        raise InvalidArgumentError(
            f"'kind' {kind!r} does not fit {code!r}; 'dense' fits every code, as does 'auto'"
        )
    return ProjectionPlan(
        "dense", (_dense_spec(code, np.arange(code.num_classes), kept),)
    )


def _names_to_try(code: SphericalCode, kind: str) -> list[str]:
    if kind == "dense":
        return []
    if kind != "auto":
        return [kind]
    known = code.placement.structure.projections
    size = (code.num_classes, code.dim)
    return [name for name in known if PROJECTIONS[name].pays(*size)]


def _dense_spec(code: SphericalCode, classes: Indices, dtype: torch.dtype) -> BlockSpec:
    return BlockSpec(
        len(classes),
        1,
        lambda first, last: DenseBlock(matrix(code, classes[first:last], dtype)),
    )


def _hadamard(code: SphericalCode, dtype: torch.dtype) -> ProjectionPlan | None:
    rows = code.placement.structure.sign_rows()
    found = rows and found_layout(rows)
    if rows is None or found is None:
        return None
    layout, chosen = found
    cosets = BlockSpec(
        len(layout.representatives),
        layout.per_coset,
        lambda first, last: HadamardBlock(layout.sliced(first, last), dtype),
    )
    inside = rows.classes[chosen]
    rest = np.setdiff1d(np.arange(code.num_classes), inside)
    blocks = (cosets, _dense_spec(code, rest, dtype)) if len(rest) else (cosets,)
    classes = np.concatenate([inside, rest])
    in_order = np.array_equal(classes, np.arange(len(classes)))
    if in_order:
        return ProjectionPlan("hadamard", blocks, None)
    order = as_tensor(np.argsort(classes))
    return ProjectionPlan("hadamard", blocks, order)


def _axes(code: SphericalCode, dtype: torch.dtype) -> ProjectionPlan | None:
    points = code.placement.points
    if points is None or not (np.count_nonzero(points, axis=1) == 1).all():
        return None
    axes = np.abs(points).argmax(axis=1)
    signs = np.take_along_axis(points, axes[:, None], axis=1)[:, 0]

    def build(first: int, last: int) -> AxesBlock:
        chosen = as_tensor(axes[first:last])
        return AxesBlock(chosen, as_tensor(signs[first:last]).to(dtype), code.dim)

    return ProjectionPlan("axes", (BlockSpec(len(axes), 1, build),))


def _simplex(code: SphericalCode, dtype: torch.dtype) -> ProjectionPlan | None:
    points = code.placement.points
    if points is None or code.num_classes > code.dim + 1:
        return None
    classes = _simplex_order(points)
    expected = simplex_points(code.num_classes)
    inside = points[classes, : code.num_classes - 1]
    outside = points[:, code.num_classes - 1 :]
    if outside.any() or np.abs(inside - expected).max() > ENTRY_TOLERANCE:
        return None
    sizes = np.array([code.num_classes])
    return ProjectionPlan(
        "simplex", (_simplices_spec(sizes, np.argsort(classes), code.dim, dtype),)
    )


def _simplices(code: SphericalCode, dtype: torch.dtype) -> ProjectionPlan | None:
    if "simplices" not in code.placement.structure.projections:
        return None
    structure = cast("OrthogonalSimplices", code.placement.structure)
    return ProjectionPlan(
        "simplices",
        (_simplices_spec(structure.sizes, structure.numbers, code.dim, dtype),),
    )


def _simplices_spec(
    sizes: Indices, numbers: Indices, dim: int, dtype: torch.dtype
) -> BlockSpec:
    def build(first: int, last: int) -> SimplicesBlock:
        mine = numbers[first:last]
        whole = np.array_equal(mine, np.arange(int(sizes.sum())))
        chosen = None if whole else as_tensor(mine.copy())
        return SimplicesBlock(sizes, dim, dtype, chosen)

    return BlockSpec(len(numbers), 1, build)


def _parts(code: SphericalCode, dtype: torch.dtype) -> ProjectionPlan | None:
    if "parts" not in code.placement.structure.projections:
        return None
    structure = cast("ProductPoints", code.placement.structure)
    if structure.has_all_combinations:
        spec = _all_combinations_spec(structure, dtype)
        return ProjectionPlan("parts", (spec,), _combination_numbers(structure))
    values = _signed_or_bytes(structure.class_values(0, code.num_classes))

    def build(first: int, last: int) -> CombinationsBlock:
        points = structure.part_points
        tables = PartTables(points, structure.weights, structure.dim, dtype)
        return CombinationsBlock(tables, as_tensor(values[first:last].copy()))

    return ProjectionPlan("parts", (BlockSpec(len(values), 1, build),))


def _quantized(code: SphericalCode, dtype: torch.dtype) -> ProjectionPlan | None:
    if "quantized" not in code.placement.structure.projections:
        return None
    structure = cast("QuantizedPoints", code.placement.structure)
    values = _signed_or_bytes(structure.values)

    def build(first: int, last: int) -> CombinationsBlock:
        tables = QuantizedTables(
            structure.parts, structure.codebooks, structure.dim, dtype
        )
        factors = as_tensor(structure.factors(first, last)).to(dtype)
        return CombinationsBlock(tables, as_tensor(values[first:last].copy()), factors)

    return ProjectionPlan("quantized", (BlockSpec(len(values), 1, build),))


def _all_combinations_spec(structure: ProductPoints, dtype: torch.dtype) -> BlockSpec:
    if structure.count > LARGEST_INDEX:
        raise InvalidArgumentError(
            f"a head has at most 2^63 - 1 classes, got {structure.count}; give fewer parts or values"
        )

    def build(first: int, last: int) -> AllCombinationsBlock:
        first_part, *others = structure.part_points
        points = [first_part[first:last], *others]
        tables = PartTables(points, structure.weights, structure.dim, dtype)
        return AllCombinationsBlock(tables)

    # a unit has all combinations with one value of the first part
    first_size = structure.sizes[0]
    return BlockSpec(first_size, structure.count // first_size, build)


def _combination_numbers(structure: ProductPoints) -> Tensor | None:
    if structure.values is None:
        return None
    # the index of the combination of values of each class, in lexicographic order
    columns = tuple(structure.values.T)
    numbers = cast("Indices", np.ravel_multi_index(columns, structure.sizes))
    in_order = np.array_equal(numbers, np.arange(len(numbers)))
    return None if in_order else as_tensor(numbers)


def _signed_or_bytes(values: NDArray[Any]) -> NDArray[Any]:
    if values.dtype == np.uint8:
        return values
    # torch supports signed types better than unsigned types of more than 8 bits
    return values.astype(np.min_scalar_type(-1 - int(values.max())))


def _simplex_order(points: Points) -> Indices:
    # In `simplex_points`, the first nonzero entry of vertex i > 0 is negative and in coordinate i. For points that are
    # no simplex, the order does not matter.
    first = (points != 0).argmax(axis=1)
    entry = np.take_along_axis(points, first[:, None], axis=1)[:, 0]
    return np.argsort(np.where(entry < 0, first + 1, 0), kind="stable")


PROJECTIONS = {
    "axes": Entry(_axes, 1 << 15),
    "simplex": Entry(_simplex, 1 << 18),
    "simplices": Entry(_simplices, 1 << 18),
    "hadamard": Entry(_hadamard, 1 << 20, above_dim=SHORT),
    "parts": Entry(_parts, 0),
    "quantized": Entry(_quantized, 0),
}
"""Kinds of projections that use a structure of the code, by name, with the sizes from which they are used.

The sizes follow from measurements of the forward pass with 64 vectors on one thread. Compared with a matrix, 'axes' is
1.7 times as fast at K n = 2^15 and 9.7 times as fast at 2^19. 'simplex' is 1.2 times as fast at 2^16 and 2.6 times as
fast at 2^18. For n = 256, 'hadamard' is 1.6 times as fast at 2^18 and 5.2 times as fast at 2^20; for n = 512, it is 4.7
times as fast at 2^20. For a single vector, 'simplex' is faster than a matrix from 2^19 and 'hadamard' from 2^21; for
smaller codes, every kind takes less than 0.25 ms.
"""

KINDS = ("auto", "dense", *PROJECTIONS)
"""Names of the kinds of projections; 'auto' chooses a kind by the structure and size of the code."""
