"""Functions that compute the rows of an atlas, and a function that checks an atlas by building its codes again.

An atlas is a table with a row for each pair (K, n), which describes the best known code of K points in R^n. The best
code is the one with the lowest maximum cosine. The converse is a proved lower bound on the maximum cosine of any K
points in R^n. The achievable bound is a proved upper bound on the lowest possible maximum cosine. An evaluation of a
search computes its objective and the gradient for one set of points.
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
"""The maximum cosine of a code, the name of the scheme that makes the code, and a text that says what the code is."""


def paper_columns() -> tuple[str, ...]:
    """Return the names of the two schemes of Lindström et al. (2024) that make linear codes: reed_muller and bch.

    The atlas has a column for each of these schemes, with the maximum cosine of its code.
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
    """Return the row of the atlas for K points in R^n, which describes the code that `ps.best` builds.

    Args:
        num_classes: Number K of points.
        dim: Dimension n.
        iterations: Number of evaluations after which the search of `ps.best` ends. None means the default of `ps.best`.
        seed: Seed of the random choices of the search of `ps.best`.
        progress: Function that is called during the search with the name of the current stage, the number of finished
            steps, and the number of all steps.
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
    """Return the row of the atlas for K points in R^n. The best code for the row is given, and is not built.

    The row describes the given code and contains the given converse and maximum cosines. The achievable bound is
    computed. The attributes `iterations` and `seed` of the row are 0.

    Args:
        num_classes: Number K of points.
        dim: Dimension n.
        found: Three values of the best code: its maximum cosine, the name of its scheme, and its description.
        converse: The highest proved lower bound on the maximum cosine of any K points in R^n.
        compared: For the schemes 'reed_muller' and 'bch', by name: the maximum cosine of the scheme's code of K points
            in R^n. If the scheme has no such code, the value is None.
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
    made with other values of `seed` or `iterations` are discarded. If the code of another row has a lower maximum
    cosine, at least K points and at most n dimensions, the row of (K, n) describes the first K points of that code.
    While one call runs, another call for the same file raises a StorageError.

    Args:
        path: The atlas file. If it does not exist, it is created.
        cells: The pairs (K, n) for which the file must have a row.
        iterations: Number of evaluations after which each search ends. None means the default of `ps.best`.
        seed: Seed of the random choices of the searches.
        progress: Function that is called with the text "atlas", the number of computed rows and the number of rows to
            compute, before each row and at the end.
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
        progress: Function that is called with the text "checking", the number of checked rows and the number of all
            rows, before each row.

    Raises:
        CertificateError: If the maximum cosine of a rebuilt code is higher than its row states, if a row states a wrong
            converse, or if a row is wrong about whether its code is optimal.
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
