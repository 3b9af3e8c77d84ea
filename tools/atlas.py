"""Make the atlas of the package: the maximum cosine of the best known code for many pairs (K, n). No code is built.

For most pairs, this is the lowest guarantee of a code, or the value of a code in the catalogue. The code that `ps.best`
makes with iterations=0 may have a lower maximum cosine. If the previous atlas has a lower value that a search found,
this value is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from protosphere import bounds
from protosphere.bounds.bound import Bound
from protosphere.constructions.best.candidates import (
    certified_quickly,
    named_members,
)
from protosphere.constructions.registry import constructions_with, describe
from protosphere.constructions.survey import Found, beside_bounds, paper_columns
from protosphere.tables.atlas import AtlasRow, monotone
from protosphere.tables.catalogue import shipped_catalogue
from protosphere.types import Cosine, Progress, ignore

TOLERANCE = 1e-12
"""Cosines that differ by at most this are equal."""

EVERY_DIM = 64
MOST_CLASSES = 1_000_000
HALF_OCTAVES = tuple(round(2 ** (j / 2)) for j in range(8, 40))
"""16, 23, 32, ..., 741455."""


def grid(rows: Iterable[AtlasRow]) -> list[tuple[int, int]]:
    """Return the (K, n) pairs of the new atlas, given the rows of the previous atlas.

    These are all pairs of the following numbers. n is from 2 to 64, or the dimension of a row. K is in `HALF_OCTAVES`,
    or a million, or the number of classes of a row.
    """
    known = list(rows)
    dims = sorted({*range(2, EVERY_DIM + 1), *(row.dim for row in known)})
    counts = sorted({*HALF_OCTAVES, MOST_CLASSES, *(row.num_classes for row in known)})
    return [(count, dim) for count in counts for dim in dims]


def remade(
    old: Sequence[AtlasRow], progress: Progress = ignore
) -> tuple[AtlasRow, ...]:
    """Return a new atlas in which no maximum cosine is higher than in the atlas `old`.

    The new atlas has all pairs (K, n) that `grid` returns for `old`.
    """
    cells = grid(old)
    kept = {(row.num_classes, row.dim): row for row in old}
    rows: list[AtlasRow] = []
    for done, (count, dim) in enumerate(cells):
        progress("atlas", done, len(cells))
        row = guaranteed_row(count, dim)
        before = kept.get((count, dim))
        if before is not None and before.max_cosine <= row.max_cosine + TOLERANCE:
            row = before
        rows.append(row)
    return monotone(rows)


def guaranteed_row(num_classes: int, dim: int) -> AtlasRow:
    """Return the row of the atlas for K and n, computed from guarantees and the catalogue.

    Codes in fewer than n dimensions are included: zeros are appended to their points.
    """
    bound = bounds.converse(num_classes, dim)
    found = min(_found(num_classes, dim, bound), key=lambda one: float(one[0]))
    compared = {
        scheme: _promised_float(scheme, num_classes, dim) for scheme in paper_columns()
    }
    return beside_bounds(num_classes, dim, found, bound, compared)


def _found(K: int, n: int, bound: Bound) -> Iterator[Found]:
    for name, member in named_members(n):
        if member.size >= K and certified_quickly(name, K, n):
            if member.dim == n:
                zeros = ""
            else:
                zeros = f", {n - member.dim} zero coordinates added"
            yield member.max_cosine, name, f"{member.description}{zeros}"
    for name in constructions_with(lambda traits: traits.quick_guarantee):
        value = _promise(name, K, n)
        if value is not None and certified_quickly(name, K, n):
            yield value, name, describe(name).summary
    catalogue = shipped_catalogue()
    entry = catalogue.best_entry(K, n) if catalogue.covers(K, n) else None
    if entry is not None:
        value = max(entry.max_cosine, float(bound))
        yield value, "optimized", "found by an earlier search and kept"


def _promise(scheme: str, K: int, n: int) -> Cosine | None:
    entry = describe(scheme)
    options = entry.resolved({"modify": True} if "modify" in entry.options else {})
    if entry.infeasible_reason(K, n, **options) is not None:
        return None
    return entry.guarantee(K, n, **options)


def _promised_float(scheme: str, K: int, n: int) -> float | None:
    value = _promise(scheme, K, n)
    return None if value is None else float(value)
