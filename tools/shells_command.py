"""Command `python -m tools shells`: search for centers with many lattice vectors at nearly equal distances."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from fractions import Fraction
from math import exp, gcd, lgamma, log, pi
from pathlib import Path

import numpy as np

from protosphere.cli.arguments import Seed
from protosphere.cli.screen import screen
from protosphere.constructions.lattices.gram_matrices import (
    CHAINS,
    LEAST_NORM,
    gram_matrix,
)
from protosphere.constructions.lattices.lattice_shell import (
    LARGEST_SQUARED_RADIUS,
    ShellRow,
    Shells,
    shells_named,
)
from protosphere.storage.csv_files import write_csv
from protosphere.tables.table_files import column_names, read_known_table
from protosphere.types import Indices

FEWEST = 64
"""Smallest number of vectors of a row. Smaller codes are found by searches."""


def shells(
    table: Path, dim: int, /, *, tries: int = 40, most: int = 1_500_000, seed: Seed = 0
) -> None:
    """Search for shells of lattices around random centers, and add the best ones to a table.

    Args:
        table: Path of a .csv file such as tables/lattice_shells.csv in the package. The file is replaced.
        dim: Dimension of the lattices.
        tries: Number of random centers of each of six kinds.
        most: Approximate number of lattice vectors to enumerate around each center.
    """
    rows = read_known_table(table, ShellRow, lambda row: row.size > 1)
    rng = np.random.default_rng(seed)
    known = len(rows)
    for chain in (name for name, (_, dims) in CHAINS.items() if dim in dims):
        for center, denominator in random_centers(gram_matrix(chain, dim), tries, rng):
            rows += shell_rows(
                chain, dim, center, denominator, squared_radius(chain, dim, most)
            )
    kept = unbeaten(rows)
    write_csv(table, column_names(ShellRow), [asdict(row) for row in kept])
    screen().print(f"{len(kept)} rows, {known} before")


def squared_radius(chain: str, dim: int, count: int) -> Fraction:
    """Return the squared radius of a ball that contains about `count` lattice vectors.

    It is a multiple of 1/8, and at most `LARGEST_SQUARED_RADIUS`.
    """
    volume = 0.5 * float(np.linalg.slogdet(gram_matrix(chain, dim))[1]) + log(count)
    radius = exp((volume - dim / 2 * log(pi) + lgamma(dim / 2 + 1)) * 2 / dim)
    return min(Fraction(round(8 * radius), 8), Fraction(LARGEST_SQUARED_RADIUS))


def random_centers(
    gram: Indices, tries: int, rng: np.random.Generator
) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield the origin, then random centers. A center is a pair of integer coefficients and their common denominator.

    There are `tries` centers of each of six kinds: vectors of the dual lattice divided by 1, 2 or 3, and vectors of the
    lattice divided by 2, 3 or 4. `gram` is the Gram matrix of the lattice.
    """
    dim = len(gram)
    inverse = np.linalg.inv(gram)
    exponent = next(
        e
        for e in range(1, 10_000)
        if np.allclose(inverse * e, np.rint(inverse * e), atol=1e-6)
    )
    dual = np.rint(inverse * exponent).astype(np.int64)
    yield (0,) * dim, 1
    for part in (1, 2, 3):
        for _ in range(tries):
            sparse = (rng.random(dim) < 0.2) * rng.integers(1, part * exponent + 1, dim)
            yield _reduced(sparse @ dual, part * exponent)
            yield _reduced(rng.integers(0, part + 1, dim), part + 1)


def _reduced(coefficients: Indices, denominator: int) -> tuple[tuple[int, ...], int]:
    """Return an equivalent center in lowest terms, which differs from the given center by a lattice vector."""
    common = gcd(denominator, *coefficients.tolist())
    return tuple(
        (coefficients // common % (denominator // common)).tolist()
    ), denominator // common


def shell_rows(
    chain: str, dim: int, center: tuple[int, ...], denominator: int, reach: Fraction
) -> Iterator[ShellRow]:
    """Yield a row for each shell around a center with squared radius up to `reach`.

    A row also has the vectors of the smaller shells that can be added without raising the upper bound on the maximum
    cosine. Rows with fewer than `FEWEST` vectors are left out.

    Args:
        chain: Name of the lattices in `CHAINS`.
        dim: Dimension of the lattice.
        center: Coefficients of the center, times `denominator`.
        denominator: Common denominator of the coefficients.
        reach: Largest squared radius.
    """
    sizes = Shells(
        chain, dim, Fraction(1, denominator**2), reach, center, denominator
    ).sizes()
    for outer in sizes:
        least = max(Fraction(0), outer - LEAST_NORM)
        inside = [norm for norm in sizes if norm <= outer and norm * outer >= least**2]
        size = sum(sizes[norm] for norm in inside)
        if size >= FEWEST:
            coefficients = " ".join(map(str, center))
            yield ShellRow(
                chain, dim, str(inside[0]), str(outer), coefficients, denominator, size
            )


def unbeaten(rows: Sequence[ShellRow]) -> list[ShellRow]:
    """Return the rows that no other row beats, sorted by dimension and number of vectors.

    A row beats another if it has no more dimensions, at least as many vectors, and no higher maximum cosine.
    """
    kept: list[ShellRow] = []
    best: dict[str, Fraction] = {
        row.id: shells_named(row.dim, row.id).max_cosine for row in rows
    }
    for row in sorted(rows, key=lambda row: (row.dim, best[row.id], -row.size)):
        if all(
            other.size < row.size or best[other.id] > best[row.id] for other in kept
        ):
            kept.append(row)
    return sorted(kept, key=lambda row: (row.dim, row.size))
