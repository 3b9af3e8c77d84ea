"""Search for derived codes: sections of shells of the Leech lattice.

A section of a shell consists of the vectors that have given inner products with a few fixed vectors. Each fixed vector
lowers the dimension by one. The search repeatedly takes the largest known section and cuts it further: it adds random
fixed vectors.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from protosphere.constructions.best.candidates import named_members
from protosphere.constructions.lattices.derived_code import (
    PARENTS,
    DerivedCodeRow,
    norm_left,
    section_named,
)
from protosphere.constructions.lattices.leech import leech_minimal_vectors
from protosphere.errors import InvalidArgumentError
from protosphere.types import Indices, Progress, ignore

SINGLES, SUMS, INSIDE = 3, 3, 2
"""Numbers of random vectors to cut a section with: minimal vectors, sums of two of them, and points of the section."""


@dataclass(frozen=True, order=True)
class Cut:
    """A section of a shell.

    Sections are ordered by size, the largest first.

    Attributes:
        order: Minus the number of points.
        number: Number of the section in the order in which sections were found.
        points: Row indices of the vectors of the shell that belong to the section.
        tokens: Names of the fixed vectors, such as "3" or "17+40".
        fixed: The fixed vectors.
        products: Inner product of the points with each fixed vector.
    """

    order: int
    number: int
    points: Indices = field(compare=False)
    tokens: tuple[str, ...] = field(compare=False, default=())
    fixed: tuple[tuple[int, ...], ...] = field(compare=False, default=())
    products: tuple[int, ...] = field(compare=False, default=())


def sections(
    name: str, *, steps: int, least: int, lowest: int, seed: int, progress: Progress
) -> Iterator[DerivedCodeRow]:
    """Yield the sections of a shell that the search finds, one for each dimension, number of points and maximum cosine.

    Args:
        name: Name of the shell in `PARENTS`.
        steps: Number of sections that are cut further.
        least: Smallest number of points of a section.
        lowest: Smallest dimension of a section.
        seed: Seed of the random fixed vectors.
        progress: Called before each step.
    """
    parent, distance = PARENTS[name]
    shell = parent.vectors().astype(np.float32)
    rng = np.random.default_rng(seed)
    norm = int((shell[0] ** 2).sum())
    heap = [Cut(-len(shell), 0, np.arange(len(shell)))]
    seen = set[tuple[int, int, Fraction]]()
    made = 0
    for step in range(steps):
        progress("derived", step, steps)
        if not heap:
            return
        cut = heapq.heappop(heap)
        dim = 23 - len(cut.tokens)
        for token, vector in _vectors(cut, name, rng):
            values = shell[cut.points] @ np.array(vector, dtype=np.float32)
            for product, size in zip(
                *(each.tolist() for each in np.unique_counts(values)), strict=True
            ):
                fixed = (*cut.fixed, vector)
                products = (*cut.products, int(product))
                if (
                    size < least
                    or size == -cut.order
                    or (cosine := _cosine(distance, norm, fixed, products)) is None
                ):
                    continue
                if (dim, size, cosine) not in seen:
                    seen.add((dim, size, cosine))
                    made += 1
                    tokens = (*cut.tokens, token)
                    yield DerivedCodeRow(
                        name,
                        " ".join(tokens),
                        " ".join(map(str, products)),
                        dim,
                        size,
                        str(cosine),
                    )
                    if dim > lowest:
                        inside = cut.points[values == product]
                        heapq.heappush(
                            heap, Cut(-size, made, inside, tokens, fixed, products)
                        )


def _vectors(
    cut: Cut, name: str, rng: np.random.Generator
) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield the names and coordinates of random fixed vectors with which the section `cut` is cut further."""
    known = leech_minimal_vectors()
    numbers = rng.integers(0, len(known), SINGLES).tolist()
    numbers += rng.choice(cut.points, INSIDE).tolist() if name == "leech" else []
    yield from ((str(i), tuple(known[i].tolist())) for i in numbers)
    for i, j in rng.integers(0, len(known), (SUMS, 2)).tolist():
        yield f"{i}+{j}", tuple((known[i].astype(np.int64) + known[j]).tolist())


def _cosine(
    distance: int,
    norm: int,
    fixed: tuple[tuple[int, ...], ...],
    products: tuple[int, ...],
) -> Fraction | None:
    try:
        return 1 - distance / (2 * norm_left(norm, fixed, products))
    except InvalidArgumentError:  # a combination of those before it
        return None


def leading(rows: Iterable[DerivedCodeRow]) -> list[DerivedCodeRow]:
    """Return the rows that are not beaten, sorted by dimension and size.

    A row is beaten if another row, or a code of another family, has no more dimensions, at least as many points, and no
    higher maximum cosine.
    """
    others = [
        (m.dim, m.size, float(m.max_cosine))
        for name, m in named_members(24)
        if name != "derived_code"
    ]
    kept: list[DerivedCodeRow] = []
    for row in sorted(
        rows, key=lambda row: (row.dim, Fraction(row.max_cosine), -row.size)
    ):
        cosine = float(Fraction(row.max_cosine))
        if not any(
            dim <= row.dim and size >= row.size and value <= cosine + 1e-12
            for dim, size, value in others
        ):
            others.append((row.dim, row.size, cosine))
            kept.append(row)
    return sorted(kept, key=lambda row: (row.dim, row.size))


def hunt_derived(
    rows: Iterable[DerivedCodeRow],
    *,
    steps: int,
    least: int,
    lowest: int,
    seed: int,
    progress: Progress = ignore,
) -> list[DerivedCodeRow]:
    """Return the best rows among `rows` and the sections that a search finds in each shell (see `leading`).

    The other arguments are those of `sections`.
    """
    found = list(rows)
    for name in PARENTS:
        found += sections(
            name, steps=steps, least=least, lowest=lowest, seed=seed, progress=progress
        )
    return [row for row in leading(found) if _spans(row)]


def _spans(row: DerivedCodeRow) -> bool:
    """Return whether the affine span of the points is all of R^n. Otherwise, the points fit into fewer dimensions."""
    section = section_named(row.dim, row.id)
    vectors = section.parent.vectors().astype(np.int64)
    inside = vectors[
        np.all(vectors @ np.array(section.fixed).T == section.products, axis=1)
    ].astype(np.float64)
    return int(np.linalg.matrix_rank(inside[1:] - inside[0])) == row.dim
