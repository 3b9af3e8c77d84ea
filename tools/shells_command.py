"""`python -m tools shells`: search centers of lattices with many vectors around them."""

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
"""Smaller codes are found by searches."""


def shells(
    table: Path, dim: int, /, *, tries: int = 40, most: int = 1_500_000, seed: Seed = 0
) -> None:
    """Search centers at random, and keep in the table the shells that no other one beats.

    Args:
        table: A .csv file such as the one of the package, tables/lattice_shells.csv; it is written again.
        dim: Of the lattices.
        tries: Centers of each kind: of the dual lattice, and fractions of it and of the lattice.
        most: About how many vectors are looked at around each.
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
    """Return the rounded squared radius of a ball whose volume corresponds to `count` lattice vectors."""
    volume = 0.5 * float(np.linalg.slogdet(gram_matrix(chain, dim))[1]) + log(count)
    radius = exp((volume - dim / 2 * log(pi) + lgamma(dim / 2 + 1)) * 2 / dim)
    return min(Fraction(round(8 * radius), 8), Fraction(LARGEST_SQUARED_RADIUS))


def random_centers(
    gram: Indices, tries: int, rng: np.random.Generator
) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield the origin, then random centers as coefficients over a denominator.

    The centers are vectors of the dual lattice and its fractions, and fractions of lattice vectors.
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
    """Return an equivalent center up to lattice vectors, in lowest terms."""
    common = gcd(denominator, *coefficients.tolist())
    return tuple(
        (coefficients // common % (denominator // common)).tolist()
    ), denominator // common


def shell_rows(
    chain: str, dim: int, center: tuple[int, ...], denominator: int, reach: Fraction
) -> Iterator[ShellRow]:
    """Yield, for each squared distance up to `reach`, the shell joined with the shells just inside it."""
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
    """Return the rows that no other row matches in dimension, size and cosine, sorted by dimension and size."""
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
