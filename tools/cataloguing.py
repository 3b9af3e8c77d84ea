"""Make a catalogue, one dimension after the other.

In each dimension, searches find codes for some numbers of points. These codes are stored. For all other numbers of
points, entries are made: short descents that start from a stored code (see `Catalogue`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from protosphere.compiled.threads import processor_count
from protosphere.constructions.best.candidates import best_member
from protosphere.constructions.descents.optimized import algebraic_codes
from protosphere.geometry.gram import max_cosine
from protosphere.geometry.sphere import normalized
from protosphere.search.code_search import search_code
from protosphere.search.descent_backend import compile_descent
from protosphere.tables.catalogue import (
    Catalogue,
    CatalogueEntry,
    QuantizedCode,
    equivalent_iterations,
    finish,
    read_catalogue,
    relax,
)
from protosphere.types import Points, Progress, ignore
from tools.catalogue_file import quantize, write_catalogue

MOST_POINTS = 300
LARGER_NUMBERS = (362, 431, 512, 609, 724, 861, 1000)
"""Numbers of points above MOST_POINTS for which entries are made. For numbers between, the next larger code is used."""

SPACING, FULL_SPACING = 0.1, 20
"""Searched numbers of points are this far apart, relative to them, from the second dimension on; below, proportionally
nearer: small codes are quickly found, cheap to keep, and have less in common with the next."""

ALL_DIMS = 24
"""Above this dimension, only even dimensions are searched. Codes of odd dimensions are derived from them."""

PATIENT = (10.0, 1e6, 2.0, 150)
"""Temperatures from, to and by what factor, and evaluations at each, of the two random starts before a search.
Sometimes they lead further, for 300 points in R^14 to .3776 (best of four) where a search led to .3790; often not."""

ARMS = 16
"""Largest number of codes of families from which a search starts."""

SMALL = 250_000
"""Largest K^2 n for which descents start from up to four stored codes with two seeds. Above, from two with one seed."""


def searched_numbers(dim: int, most: int, seed: int) -> list[int]:
    """Return the numbers of points to search for in R^n, in descending order, from `most` to above 2n.

    The numbers for odd seeds are halfway between those for even seeds.
    """
    numbers = list[int]()
    here = most
    while here > 2 * dim:
        step = SPACING * here * min(1, dim / FULL_SPACING)
        numbers.append(here - round(step / 2) * (seed % 2))
        here -= max(1, round(step))
    return [number for number in numbers if number > 2 * dim]


def searched_codes(
    dim: int,
    below: Sequence[QuantizedCode],
    earlier: Sequence[QuantizedCode],
    pool: ThreadPoolExecutor,
    numbers: Sequence[int],
    effort: float,
    seed: int,
) -> Iterator[QuantizedCode]:
    """Search for a code of each size, and yield the codes.

    Each search has several starts: the last code found, random points, codes of families, and stored codes with the
    same number of points or slightly more.

    Args:
        dim: Dimension n.
        below: Stored codes in n - 1 dimensions.
        earlier: Stored codes in n dimensions from other searches.
        pool: Threads for the computation.
        numbers: Numbers of points, in descending order.
        effort: Length of the searches, relative to the usual length.
        seed: Seed of the random starts.
    """
    last: list[Points] = []
    for number in numbers:
        rng = np.random.default_rng([seed, number, dim])
        near = (*_nearest(earlier, number, 2), *_nearest(below, number, 1))
        starts = [
            *last,
            *pool.map(_patient, rng.standard_normal((2, number, dim))),
            *(one.points for one in near),
        ]
        starts += algebraic_codes(number, dim, ARMS)
        most = max(1, round(effort * equivalent_iterations(number, dim)))
        found = search_code(
            number, dim, rng=rng, iterations=most, start_points=starts, polish=False
        )
        last = [found.points]
        yield quantize(found.points)


def _patient(start: Points) -> Points:
    from protosphere.search.compiled_lbfgs import compiled_anneal

    return normalized(compiled_anneal(start, *PATIENT))


def _nearest(
    codes: Sequence[QuantizedCode], number: int, at_most: int
) -> list[QuantizedCode]:
    """Return the `at_most` smallest codes with at least `number` points."""
    above = [one for one in codes if len(one.levels) >= number]
    return sorted(above, key=lambda one: len(one.levels))[:at_most]


def attempts(
    number: int,
    dim: int,
    codes: Sequence[QuantizedCode],
    below: Sequence[QuantizedCode],
) -> Iterator[tuple[QuantizedCode, int]]:
    """Yield pairs of a stored code and a seed. From each pair, a descent computes a code of `number` points in R^n.

    Args:
        number: Number of points.
        dim: Dimension n.
        codes: Stored codes in n dimensions, the largest first.
        below: Stored codes in n - 1 dimensions.
    """
    small = number**2 * dim <= SMALL
    above = _nearest(codes, number, 2 if small else 1)
    under = [one for one in codes if len(one.levels) < number][:1] if small else []
    for source in (*above, *under, *_nearest(below, number, 1)):
        yield from ((source, seed) for seed in range(2 if small else 1))


def best_entries(
    dim: int,
    codes: Sequence[QuantizedCode],
    below: Sequence[QuantizedCode],
    numbers: Iterable[int],
    pool: ThreadPoolExecutor,
) -> Iterator[CatalogueEntry]:
    """Yield an entry for each number of points: the result of `attempts` with the lowest maximum cosine.

    The field `source` of an entry is an index into `codes` followed by `below`.

    Args:
        dim: Dimension n.
        codes: Stored codes in n dimensions, the largest first.
        below: Stored codes in n - 1 dimensions.
        numbers: Numbers of points.
        pool: Threads for the computation.
    """
    sources = {id(one): index for index, one in enumerate((*codes, *below))}
    for number in numbers:
        tried = list(attempts(number, dim, codes, below))
        found = list(pool.map(partial(_tried, number, dim), tried))
        values = [max_cosine(points) for points in found]
        best = int(np.argmin(values))
        source, seed = tried[best]
        yield CatalogueEntry(
            number, dim, sources[id(source)], seed, max_cosine(finish(found[best]))
        )


def _tried(number: int, dim: int, attempt: tuple[QuantizedCode, int]) -> Points:
    return relax(attempt[0], number, dim, attempt[1])


def make_catalogue(
    folder: str | Path,
    dims: Iterable[int],
    *,
    most_points: int = MOST_POINTS,
    classes: Sequence[int] = (),
    effort: float = 1.0,
    seed: int = 0,
    progress: Progress = ignore,
) -> Catalogue:
    """Search in each dimension, and return a catalogue of all results in the folder, including those of earlier runs.

    The result for a dimension and a seed is written to a file in the folder. If this file exists, the dimension is
    skipped. So an interrupted run can be continued.

    Args:
        folder: Folder for the results. It is created if it does not exist.
        dims: Dimensions n.
        most_points: Largest number of points K.
        classes: Numbers of points to search for. If it is not empty, entries are made only for the numbers that
            `_looked_at` returns. If it is empty, the numbers that `searched_numbers` returns are searched, and entries
            are made for all numbers from 2n + 1 to `most_points`.
        effort: Length of the searches, relative to the usual length.
        seed: Seed of the searches.
        progress: Called before each dimension.
    """
    Path(folder).mkdir(parents=True, exist_ok=True)
    chosen = sorted(dims)
    with ThreadPoolExecutor(processor_count()) as pool:
        for done, dim in enumerate(chosen):
            progress("dimensions", done, len(chosen))
            path = Path(folder) / f"{dim}-{seed}.npz"
            if not path.exists():
                below = _codes(finished_parts(folder, dim - 1), dim - 1)
                earlier = _codes(finished_parts(folder, dim), dim)
                follows = dim > ALL_DIMS and dim % 2 and below
                spaced = [] if follows else searched_numbers(dim, most_points, seed)
                searched = [
                    number
                    for number in sorted(classes, reverse=True) or spaced
                    if number > 2 * dim
                ]
                codes = list(
                    searched_codes(dim, below, earlier, pool, searched, effort, seed)
                )
                numbers = _looked_at(dim, most_points, searched if classes else None)
                found = tuple(best_entries(dim, codes, below, numbers, pool))
                beyond = frozenset(
                    (number, dim) for number in numbers if number > most_points
                )
                write_catalogue(
                    path, Catalogue((*codes, *below), found, most_points, dim, beyond)
                )
    return joined(finished_parts(folder))


def _looked_at(dim: int, most_points: int, only: Sequence[int] | None) -> list[int]:
    """Return the numbers of points for which entries are made, in descending order.

    If `only` is None, these are all numbers from 2 `dim` + 1 to `most_points`. Otherwise, these are:

    - the numbers up to `most_points` that are in `only` or less than 10% below a number in `only`;
    - the numbers in `LARGER_NUMBERS` that are above `most_points`, and not above the largest number in `only`.
    """
    every = range(most_points, 2 * dim, -1)
    if only is None:
        return list(every)
    asked = max(only, default=0)
    larger = [
        number
        for number in sorted(LARGER_NUMBERS, reverse=True)
        if max(most_points, 2 * dim) < number <= asked
    ]
    return larger + [
        K for K in every if any(number * (1 - SPACING) < K <= number for number in only)
    ]


def finished_parts(folder: str | Path, dim: int | None = None) -> list[Catalogue]:
    """Return the catalogues in a folder, one for each finished dimension and seed.

    If `dim` is not None, only the catalogues of this dimension are returned.
    """
    return [
        read_catalogue(path)
        for path in sorted(
            Path(folder).glob("*-*.npz" if dim is None else f"{dim}-*.npz")
        )
    ]


def _codes(parts: Iterable[Catalogue], dim: int) -> list[QuantizedCode]:
    """Return all stored codes in `dim` dimensions, the largest first."""
    codes = [
        one for part in parts for one in part.sources if one.levels.shape[1] == dim
    ]
    return sorted(codes, key=lambda one: -len(one.levels))


def joined(parts: Iterable[Catalogue]) -> Catalogue:
    """Return one catalogue made from several catalogues.

    An entry is left out if another entry or a code of a family has at least as many points and no higher maximum
    cosine. Stored codes that no entry uses are left out too.
    """
    parts = list(parts)
    rows = [
        (entry, part.sources[entry.source]) for part in parts for entry in part.entries
    ]
    rows.sort(key=lambda row: (row[0].dim, -row[0].num_points, row[0].max_cosine))
    lowest: dict[int, float] = {}
    used: dict[tuple[bytes, int], int] = {}
    sources = list[QuantizedCode]()
    leading = list[CatalogueEntry]()
    for entry, source in rows:
        # `lowest` is the least value with room for so many points in no more dimensions
        rivals = [
            lowest.get(entry.num_points, 1.0),
            lowest.get(entry.num_points + 1, 1.0),
        ]
        family = best_member(entry.num_points, entry.dim)
        rivals += [float(family.max_cosine)] if family is not None else []
        lowest[entry.num_points] = min(*rivals, entry.max_cosine)
        if entry.max_cosine < min(rivals):
            name = (source.levels.tobytes(), source.levels.shape[1])
            if name not in used:
                used[name] = len(sources)
                sources.append(source)
            leading.append(replace(entry, source=used[name]))
    extent = [
        max((getattr(part, name) for part in parts), default=0)
        for name in ("most_points", "largest_dim")
    ]
    beyond = frozenset[tuple[int, int]]().union(
        *(part.searched_beyond for part in parts)
    )
    return Catalogue(tuple(sources), tuple(leading), *extent, beyond)


def remeasured(catalogue: Catalogue, progress: Progress = ignore) -> Catalogue:
    """Return the catalogue after building all codes and measuring their maximum cosines again.

    This is necessary if a change of the descent has changed its results.
    """
    compile_descent(progress)
    with ThreadPoolExecutor(processor_count()) as pool:
        values = list[float]()
        for done, points in enumerate(pool.map(catalogue.build, catalogue.entries)):
            progress("measuring", done, len(catalogue.entries))
            values.append(max_cosine(points))
    measured = [
        replace(one, max_cosine=value)
        for one, value in zip(catalogue.entries, values, strict=True)
    ]
    return joined([replace(catalogue, entries=tuple(measured))])
