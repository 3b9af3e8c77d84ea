"""Decide each part of a class separately, such as the initial, the vowel and the final of a syllable."""

from __future__ import annotations

from typing import NamedTuple, cast

import torch
from torch import Tensor

from protosphere.errors import InvalidArgumentError
from protosphere.nn.buffer_guard import like_buffers
from protosphere.nn.kernels.threaded import without_autocast
from protosphere.nn.projections import Projection
from protosphere.nn.projections.part_tables import PartTables
from protosphere.spherical.part_names import PartNames
from protosphere.spherical.spherical_code import SphericalCode
from protosphere.spherical.structures import ProductPoints


class PartDecisions(NamedTuple):
    """The most probable value of each part for each input, if the classes consist of several parts.

    Codes of such classes are built by `ps.compose`.

    Attributes:
        values: (..., P) indices of the most probable values, for P parts.
        confidences: (..., P) probabilities of these values. The probabilities of the values of a part are the softmax
            of the dot products with the points of these values.
        names: Names of the parts and of their values. If the code was made without such names, it is None.

    Example:
        >>> import protosphere as ps
        >>> from protosphere.nn import PrototypeHead
        >>> head = PrototypeHead(ps.compose(sizes=(2, 3)))
        >>> head.parts(head.prototypes()[4:5]).values.tolist()
        [[1, 1]]
    """

    values: Tensor
    confidences: Tensor
    names: PartNames | None

    def named(self) -> list[dict[str, str]]:
        """Return one dictionary per input, which maps the name of each part to the name of its most probable value.

        If `values` has more than two dimensions, the inputs are in row-major order of all dimensions but the last.

        Raises:
            InvalidArgumentError: If the code was made without names of parts.
        """
        if self.names is None:
            raise InvalidArgumentError(
                "the parts of this code have no names; give ps.compose a table that has them, or use 'values'"
            )
        rows: list[dict[str, str]] = []
        for numbers in self.values.reshape(-1, len(self.names.parts)).unbind(0):
            chosen = zip(self.names.parts, self.names.values, numbers, strict=True)
            rows.append({part: values[int(number)] for part, values, number in chosen})
        return rows


def part_decisions(
    code: SphericalCode, projection: Projection, rows: Tensor
) -> PartDecisions:
    """Return the most probable value of each of the P parts, for each of B vectors.

    Args:
        code: A code whose classes consist of parts.
        projection: Module that computes dot products with the prototypes of the code.
        rows: B x n vectors, in float32 or float64, whose dot products with the prototypes are the logits.

    Returns:
        A named tuple of the B x P indices of the most probable values, the B x P probabilities of these values, and the
        names of the parts and values. The names are None if the code has none.

    Raises:
        InvalidArgumentError: If the classes of the code do not consist of parts.
    """
    structure = code.placement.structure
    if not isinstance(structure, ProductPoints):
        raise InvalidArgumentError(
            f"'parts' needs classes that are made of parts, as ps.compose makes them, got {code!r}"
        )
    with without_autocast(rows):
        by_run = _part_tables(structure, projection).by_run(rows)
        found = [run.softmax(2).max(2) for run in by_run]
    values = torch.cat([best.indices for best in found]).T
    confidences = torch.cat([best.values for best in found]).T
    return PartDecisions(values, confidences, structure.names)


def _part_tables(structure: ProductPoints, projection: Projection) -> PartTables:
    # the module of `projection` if it has one for these parts, otherwise a new module
    for block in projection.blocks:
        held = cast("PartTables | None", getattr(block, "tables", None))
        if held is not None and held.sizes == structure.sizes:
            return held
    like = like_buffers(projection)
    points = structure.part_points
    tables = PartTables(points, structure.weights, structure.dim, like.dtype)
    return tables.to(like.device)
