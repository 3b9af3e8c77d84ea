"""Measure codes that do not belong to families: linear codes, descents and searches.

The page shows the distribution of the cosines of some codes. The numbers of classes for which it does are called
checkpoints (`CHECKPOINTS`).
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

import numpy as np

from protosphere.atlas_page.measurements import CHECKPOINTS, MODIFIED, spectra_key
from protosphere.atlas_page.serving import (
    LARGEST_PAGE_DIM,
    MOST_CLASSES,
    serving_members,
)
from protosphere.constructions import available, best, construct, describe
from protosphere.constructions.block_codes.reed_solomon import outer_codes
from protosphere.constructions.registry import constructions_with
from protosphere.constructions.survey import paper_columns
from protosphere.errors import InfeasibleError
from protosphere.tables.atlas import AtlasRow, shipped_atlas
from protosphere.tables.catalogue import shipped_catalogue
from protosphere.tables.linear_codes import LARGEST_DIMENSION, LARGEST_LENGTH
from protosphere.types import Points, Progress
from tools.page.members import as_written, spectrum_of

DESCENT_DIMS = (2, 3, 4, 8, 16, 32, 64, 128)
MOST_DESCENT_CLASSES = 100
"""Largest number of classes for descents. For more classes, a descent takes minutes."""

COINCIDING = 1 - 1e-9
"""Codes with a larger maximum cosine are left out: two points coincide, because the descent failed."""

MOST_MEASURED_BITS = 17
"""Linear codes with more than 2 to the power of this number of words are not measured."""

X_DIMS = (8, 12, 16, 20, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512)


def home_dims(scheme: str) -> list[int]:
    """Return the dimensions in which the scheme ("reed_muller" or "bch") has codes without modification."""
    return [
        (1 << m) - (scheme == "bch") for m in range(2, LARGEST_PAGE_DIM.bit_length())
    ]


def linear_cells() -> Iterator[tuple[str, int, int, str | float]]:
    """Yield (scheme, K, n, maximum cosine) of Reed-Muller and BCH codes without modification.

    K is a power of two. For other numbers of classes, the first points of the next larger code are used.
    """
    for scheme in paper_columns():
        for dim in home_dims(scheme):
            for k in range(1, MOST_MEASURED_BITS + 1):
                try:
                    code = construct(scheme, num_classes=1 << k, dim=dim)
                except InfeasibleError:
                    break
                yield scheme, 1 << k, dim, as_written(code.max_cosine)


def modified_cells(progress: Progress) -> Iterator[tuple[str, int, int, str | float]]:
    """Yield (scheme, K, n, maximum cosine) of modified BCH codes that are better than every code of a family."""
    entry = describe("bch")
    families = [one for name in available() for one in serving_members(describe(name))]
    for k in range(1, MOST_CLASSES.bit_length() + 1):
        progress("modified codes", k, MOST_CLASSES.bit_length() + 1)
        rivals = sorted(
            (one.member.dim, float(one.member.max_cosine))
            for one in families
            if one.last >= 1 << k - 1
        )
        lowest = 1.0
        for dim in range(k, min(LARGEST_PAGE_DIM, (1 << k - 1) - 1) + 1):
            while rivals and rivals[0][0] <= dim:
                lowest = min(lowest, rivals.pop(0)[1])
            if worth_asking(k, dim):
                promise = entry.guarantee(1 << k, dim, modify=True, subset="first")
            else:
                promise = None
            if promise is not None and float(promise) < lowest - 1e-9:
                lowest = float(promise)
                yield MODIFIED, 1 << k, dim, as_written(promise)


def worth_asking(k: int, dim: int) -> bool:
    """Return whether a code of 2^k words and length `dim` is too large for the table of best known linear codes."""
    return k > LARGEST_DIMENSION or dim > LARGEST_LENGTH


def plain_requests() -> Iterator[tuple[str, int, int]]:
    """Yield (scheme, K, n) of constructions whose cosines the page shows. Some of them may not be feasible."""
    for K in CHECKPOINTS:
        for scheme in paper_columns():
            yield from ((scheme, K, dim) for dim in home_dims(scheme))
        lowest = 1.0
        for code in sorted(outer_codes(K), key=lambda one: (one.dim, one.guarantee)):
            if code.dim <= LARGEST_PAGE_DIM and code.guarantee < lowest:
                lowest = float(code.guarantee)
                yield "reed_solomon", K, code.dim
        yield from (("construction_x", K, dim) for dim in X_DIMS if dim < K)


def plain_spectra(progress: Progress) -> Iterator[tuple[str, int, list[Any]]]:
    """Yield (key, K, cosines) of the feasible constructions in `plain_requests`, with cosines as in `spectrum_of`."""
    requests = list(plain_requests())
    for done, (scheme, K, dim) in enumerate(requests):
        progress("plain constructions", done, len(requests))
        try:
            yield (
                spectra_key(scheme, dim),
                K,
                spectrum_of(construct(scheme, num_classes=K, dim=dim).points),
            )
        except InfeasibleError:
            continue


def descents(
    progress: Progress,
) -> Iterator[tuple[str, int, int, str | float, list[Any]]]:
    """Yield (scheme, K, n, maximum cosine, cosines) of random points and of the paper's two descents.

    `spectrum_of` describes the list of cosines.
    """
    random = constructions_with(lambda traits: traits.in_paper and traits.stochastic)
    for scheme in random:
        for K in CHECKPOINTS:
            for dim in DESCENT_DIMS:
                if dim < 2 * K and (K <= MOST_DESCENT_CLASSES or scheme == "uniform"):
                    progress(f"{scheme}: {K} in {dim}", 0, 1)
                    code = construct(scheme, num_classes=K, dim=dim)
                    if code.max_cosine < COINCIDING:
                        yield (
                            scheme,
                            K,
                            dim,
                            as_written(code.max_cosine),
                            spectrum_of(code.points),
                        )


def searched_spectra(progress: Progress) -> Iterator[tuple[str, int, list[Any]]]:
    """Yield (key, K, cosines) of codes of the catalogue, then of codes of the atlas.

    From the catalogue, it takes the best codes for the checkpoints in every dimension. From the atlas, it takes the
    codes that `drawn_rows` returns. `spectrum_of` describes the list of cosines.
    """
    kept = shipped_catalogue()
    rows = drawn_rows()
    wanted = {
        kept.best_entry(K, dim)
        for K in CHECKPOINTS
        for dim in range(3, kept.largest_dim + 1)
    } - {None}
    for done, entry in enumerate(
        sorted(
            (one for one in wanted if one), key=lambda one: (one.dim, one.num_points)
        )
    ):
        progress("kept codes", done, len(wanted))
        yield (
            spectra_key("best", entry.dim),
            entry.num_points,
            spectrum_of(kept.build(entry)),
        )
    for done, row in enumerate(rows):
        progress("codes of the atlas", done, len(rows))
        code = best(
            num_classes=row.of_classes,
            dim=row.of_dim,
            iterations=row.iterations,
            seed=row.seed,
        )
        yield spectra_key("best", row.of_dim), row.of_classes, spectrum_of(code.points)


def drawn_rows() -> list[AtlasRow]:
    """Return the rows of the atlas whose codes were found by a search and are not in the catalogue.

    Codes with more points than the largest checkpoint are left out.
    """
    kept = shipped_catalogue()
    searched = [
        row
        for row in shipped_atlas()
        if row.scheme == "optimized" and row.of_classes <= CHECKPOINTS[-1]
    ]
    return [row for row in searched if not kept.covers(row.of_classes, row.of_dim)]


def spherical_points(progress: Progress) -> dict[str, str]:
    """Return the points of the codes in three dimensions that searches found, by the number of points as text.

    The values are texts as `octahedral` returns them.
    """
    entries = [entry for entry in shipped_catalogue().entries if entry.dim == 3]
    found: dict[str, str] = {}
    for done, entry in enumerate(entries):
        progress("points in space", done, len(entries))
        found[str(entry.num_points)] = octahedral(shipped_catalogue().build(entry))
    for row in drawn_rows():
        if row.of_dim == 3:
            code = best(
                num_classes=row.of_classes,
                dim=3,
                iterations=row.iterations,
                seed=row.seed,
            )
            found[str(row.of_classes)] = octahedral(code.points)
    return found


def octahedral(points: Points) -> str:
    """Return unit vectors of R^3 as text: base64 of the octahedral encoding, with two bytes per vector."""
    x, y, z = (points / np.abs(points).sum(axis=1, keepdims=True)).T
    folded = np.stack(
        [
            (1 - np.abs(y)) * np.where(x < 0, -1, 1),
            (1 - np.abs(x)) * np.where(y < 0, -1, 1),
        ],
        axis=1,
    )
    square = np.where((z < 0)[:, None], folded, np.stack([x, y], axis=1))
    return base64.b64encode(
        np.rint((square + 1) * 127.5).astype(np.uint8).tobytes()
    ).decode()
