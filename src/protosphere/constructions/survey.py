"""Functions that compute the rows of an atlas, and that check an atlas by building its codes again.

An atlas is a table with a row for each pair (K, n), which describes the best known code of K points in R^n.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from time import monotonic

from protosphere import bounds
from protosphere.bounds.bound import Bound
from protosphere.constructions.comparison import limits
from protosphere.constructions.construct import best, construct
from protosphere.constructions.registry import constructions_with, describe
from protosphere.errors import CertificateError, InfeasibleError
from protosphere.storage.files import locked
from protosphere.tables.atlas import AtlasRow, monotone, read_atlas, save_atlas
from protosphere.tables.table_files import REBUILD_TOLERANCE, check_claim
from protosphere.types import Cosine, Progress, ignore

SAVE_SECONDS = 2.0

Found = tuple[Cosine, str, str]
"""A maximum cosine, the scheme that attains it, and the description of the code."""


def paper_columns() -> tuple[str, ...]:
    """Return the names of the schemes that make linear codes in Lindström et al. (2024).

    The atlas has a column for each of them.
    """
    return constructions_with(lambda traits: traits.in_paper and traits.linear)


def atlas_row(
    num_classes: int,
    dim: int,
    *,
    iterations: int | None = None,
    seed: int = 0,
    progress: Progress = ignore,
) -> AtlasRow:
    """Return the row of the atlas for K points in R^n, after building the best code.

    Args:
        num_classes: Number K of points.
        dim: Dimension n.
        iterations: Number of evaluations after which the search of `ps.best` ends. None means the default of `ps.best`.
        seed: Seed of the random choices of the search.
        progress: Function that is called during the search.
    """
    code = best(
        num_classes=num_classes,
        dim=dim,
        iterations=iterations,
        seed=seed,
        progress=progress,
    )
    assert code.choice is not None, "best always says why"
    found = (
        code.max_cosine,
        code.choice.considered[0].scheme,
        code.placement.description,
    )
    compared = {
        scheme: _separation(scheme, num_classes, dim) for scheme in paper_columns()
    }
    row = beside_bounds(num_classes, dim, found, code.certificate.converse, compared)
    return replace(
        row, optimal=code.certificate.optimal, iterations=iterations, seed=seed
    )


def beside_bounds(
    num_classes: int,
    dim: int,
    found: Found,
    converse: Bound,
    compared: Mapping[str, float | None],
) -> AtlasRow:
    """Return the row of the atlas for K points in R^n whose best code is already known.

    The row contains the code, the converse, the achievable bound and the maximum cosines of other schemes.

    Args:
        num_classes: Number K of points.
        dim: Dimension n.
        found: Maximum cosine, scheme and description of the best code.
        converse: The highest proved lower bound on the maximum cosine of K points in R^n.
        compared: Maximum cosine of the code of K points in R^n of each scheme that `paper_columns` names. None for a
            scheme that has no such code.
    """
    value, scheme, description = found
    cell = (num_classes, dim)
    achievable = limits(num_classes, dim).achievable
    exact = str(value) if isinstance(value, Fraction) else ""
    meets = float(value) <= float(converse) + 1e-12
    between = (
        float(converse),
        converse.theorem,
        None if achievable is None else float(achievable),
    )
    paper = compared["reed_muller"], compared["bch"]
    return AtlasRow(
        *cell,
        float(value),
        exact,
        scheme,
        description,
        meets,
        *between,
        *paper,
        0,
        0,
        *cell,
    )


def _separation(scheme: str, num_classes: int, dim: int) -> float | None:
    try:
        code = construct(scheme, num_classes=num_classes, dim=dim, modify=True)
    except InfeasibleError:
        return None
    return float(code.max_cosine)


def write_atlas(
    path: str | Path,
    cells: Sequence[tuple[int, int]],
    *,
    iterations: int | None = None,
    seed: int = 0,
    progress: Progress = ignore,
) -> tuple[AtlasRow, ...]:
    """Compute the missing rows of an atlas file, save the file, and return all its rows.

    An interrupted computation can be resumed, because the file is saved every few seconds. Rows of the file that were
    made with another seed or other iterations are discarded. If another row has a better code with at least K points in
    at most n dimensions, the row of (K, n) describes the first K points of that code. While one call runs, another call
    for the same file raises an error.

    Args:
        path: The atlas file. If it does not exist, it is created.
        cells: The (K, n) pairs that the file must have.
        iterations: Number of evaluations after which each search ends. None means the default of `ps.best`.
        seed: Seed of the random choices of the searches.
        progress: Function that is called before each row and at the end.
    """
    with locked(Path(path), "atlas"):
        stored = read_atlas(path) if Path(path).exists() else ()
        rows = {
            (row.num_classes, row.dim): row
            for row in stored
            if (row.iterations, row.seed) == (iterations, seed)
        }
        missing = [cell for cell in cells if cell not in rows]
        saved = monotonic()
        for done, cell in enumerate(missing):
            progress("atlas", done, len(missing))
            rows[cell] = atlas_row(*cell, iterations=iterations, seed=seed)
            if monotonic() - saved > SAVE_SECONDS:
                save_atlas(path, [rows[key] for key in sorted(rows)])
                saved = monotonic()
        progress("atlas", len(missing), len(missing))
        finished = monotone(rows.values())
        save_atlas(path, finished)
        return finished


def check_atlas(rows: Iterable[AtlasRow], progress: Progress = ignore) -> int:
    """Rebuild the code of each row and return the number of checked rows.

    Args:
        rows: Rows of an atlas.
        progress: Function that is called before each row.

    Raises:
        CertificateError: If a rebuilt code is worse than its row states, if a row states a wrong converse, or if a row
            is wrong about whether its code is optimal.
    """
    chosen = list(rows)
    for done, row in enumerate(chosen):
        progress("checking", done, len(chosen))
        where = f"K = {row.num_classes}, n = {row.dim}: the atlas"
        bound = bounds.converse(row.num_classes, row.dim)
        meets = row.max_cosine <= float(bound) + 1e-9
        if (
            abs(float(bound) - row.converse) > 1e-9
            or row.theorem != bound.theorem
            or row.optimal != meets
        ):
            says = f"{row.converse} ({row.theorem})"
            raise CertificateError(
                f"{where} says that the converse is {says}, it is {bound}"
            )
        code = best(
            num_classes=row.of_classes,
            dim=row.of_dim,
            iterations=row.iterations,
            seed=row.seed,
        )
        searched = describe(row.scheme).traits.searched
        tolerance = REBUILD_TOLERANCE if searched else 1e-9
        check_claim(where, row.max_cosine, float(code.max_cosine), tolerance)
    return len(chosen)
