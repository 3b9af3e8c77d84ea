"""A table of what is known: for every (K, n) the best code, what made it, and the bounds. Resumable, and checkable."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from fractions import Fraction
from importlib.resources import as_file, files
from pathlib import Path
from time import monotonic
from typing import Any

from protosphere import bounds
from protosphere.constructions import best, construct
from protosphere.errors import CertificateError, InfeasibleError, StorageError
from protosphere.files import replace_file
from protosphere.types import Progress, silent

COMPARED: dict[str, dict[str, Any]] = {"reed_muller": {"modify": True}, "bch": {"modify": True}}
"""The paper's codes, brought to every dimension, for the columns beside the best."""

SAVE_SECONDS = 2.0
SEARCHED = 0.02


@dataclass(frozen=True)
class AtlasRow:
    """One cell: the best max cosine (exact as text where it is), whose it is, and both sides of the truth.

    `of_classes` and `of_dim` are the cell whose code this is a part of: its own, or one with more classes or fewer
    dimensions for which the search found a better one.
    """

    num_classes: int
    dim: int
    max_cosine: float
    exact: str
    scheme: str
    recipe: str
    optimal: bool
    converse: float
    theorem: str
    achievable: float | None
    reed_muller: float | None
    bch: float | None
    iterations: int | None
    seed: int
    of_classes: int
    of_dim: int


def atlas_row(
    num_classes: int, dim: int, *, iterations: int | None = None, seed: int = 0, progress: Progress = silent
) -> AtlasRow:
    """The cell of (K, n), computed."""
    code = best(num_classes=num_classes, dim=dim, iterations=iterations, seed=seed, progress=progress)
    assert code.choice is not None, "best always says why"
    bound = code.certificate.converse
    return AtlasRow(
        num_classes,
        dim,
        float(code.max_cosine),
        str(code.max_cosine) if isinstance(code.max_cosine, Fraction) else "",
        code.choice.considered[0].scheme,
        code.placement.recipe,
        code.certificate.optimal,
        float(bound),
        bound.theorem,
        _achievable(num_classes, dim),
        _separation("reed_muller", num_classes, dim),
        _separation("bch", num_classes, dim),
        iterations,
        seed,
        num_classes,
        dim,
    )


def _achievable(num_classes: int, dim: int) -> float | None:
    try:
        return float(bounds.achievable(num_classes, dim))
    except InfeasibleError:
        return None


def _separation(scheme: str, num_classes: int, dim: int) -> float | None:
    try:
        return float(construct(scheme, num_classes=num_classes, dim=dim, **COMPARED[scheme]).max_cosine)
    except InfeasibleError:
        return None


def write_atlas(
    path: str | Path,
    cells: Sequence[tuple[int, int]],
    *,
    iterations: int | None = None,
    seed: int = 0,
    progress: Progress = silent,
) -> tuple[AtlasRow, ...]:
    """Compute the cells that the file does not have yet, the file being replaced as they come; all rows of the file.

    Rows made with another seed or other iterations are not kept. More dimensions or fewer classes are never worse: a
    cell for which less was found takes a part of the better code.
    """
    stored = read_atlas(path) if Path(path).exists() else ()
    rows = {(row.num_classes, row.dim): row for row in stored if (row.iterations, row.seed) == (iterations, seed)}
    missing, saved = [cell for cell in cells if cell not in rows], monotonic()
    for done, cell in enumerate(missing):
        progress("atlas", done, len(missing))
        rows[cell] = atlas_row(*cell, iterations=iterations, seed=seed)
        if monotonic() - saved > SAVE_SECONDS:
            _save(path, [rows[key] for key in sorted(rows)])
            saved = monotonic()
    progress("atlas", len(missing), len(missing))
    finished = monotone(rows.values())
    _save(path, finished)
    return finished


def monotone(rows: Iterable[AtlasRow]) -> tuple[AtlasRow, ...]:
    """The rows in order, each no worse than any with no fewer classes and no more dimensions."""
    cells = {(row.dim, row.num_classes): row for row in rows}
    counts = sorted({count for _, count in cells}, reverse=True)
    lowest: dict[int, AtlasRow] = {}
    for dim in sorted({dim for dim, _ in cells}):
        best_so_far: AtlasRow | None = None
        for count in counts:
            found = [row for row in (cells.get((dim, count)), lowest.get(count), best_so_far) if row is not None]
            if found:
                best_so_far = lowest[count] = min(found, key=lambda row: row.max_cosine)
                if (dim, count) in cells:
                    cells[dim, count] = _part_of(best_so_far, cells[dim, count])
    return tuple(sorted(cells.values(), key=lambda row: (row.num_classes, row.dim)))


def _part_of(better: AtlasRow, row: AtlasRow) -> AtlasRow:
    """The row with a part of the other's code where that is better."""
    if better.max_cosine >= row.max_cosine - 1e-12:
        return row
    source = better.recipe if better.of_classes != better.num_classes or better.of_dim != better.dim else (
        f"part of K = {better.num_classes}, n = {better.dim}: {better.recipe}"
    )  # fmt: skip
    return replace(
        row,
        max_cosine=better.max_cosine,
        exact=better.exact,
        scheme=better.scheme,
        recipe=source,
        optimal=better.max_cosine <= row.converse + 1e-12,
        of_classes=better.of_classes,
        of_dim=better.of_dim,
    )


def _save(path: str | Path, rows: Iterable[AtlasRow]) -> None:
    def write(beside: Path) -> None:
        with beside.open("w", newline="", encoding="utf-8") as file:
            table = csv.DictWriter(file, [field.name for field in fields(AtlasRow)], lineterminator="\n")
            table.writeheader()
            table.writerows(asdict(row) for row in rows)

    replace_file(Path(path), write)


def read_atlas(path: str | Path) -> tuple[AtlasRow, ...]:
    """The rows of an atlas file; StorageError names what is wrong with another."""
    try:
        with Path(path).open(newline="", encoding="utf-8") as file:
            return tuple(_parsed(record) for record in csv.DictReader(file))
    except OSError as error:
        raise StorageError(f"cannot read '{path}': {error.strerror}") from error
    except (KeyError, TypeError, ValueError) as error:
        raise StorageError(f"cannot read '{path}': not an atlas, or a damaged one ({error})") from error


def shipped_atlas() -> tuple[AtlasRow, ...]:
    """The atlas that comes with the package: K from 10 to 100,000, telling n from 2 to 1024."""
    with as_file(files("protosphere") / "atlas.csv") as path:
        return read_atlas(path)


def _parsed(record: dict[str, str]) -> AtlasRow:
    whole = ("num_classes", "dim", "seed", "of_classes", "of_dim")
    kinds: dict[str, Any] = dict.fromkeys(whole, int) | {"max_cosine": float, "converse": float}
    maybe: dict[str, Any] = {"achievable": float, "reed_muller": float, "bch": float, "iterations": int}
    values: dict[str, Any] = {name: record[name] for name in (field.name for field in fields(AtlasRow))}
    values |= {name: kind(record[name]) for name, kind in kinds.items()}
    values |= {name: kind(record[name]) if record[name] else None for name, kind in maybe.items()}
    values["optimal"] = {"True": True, "False": False}[record["optimal"]]
    return AtlasRow(**values)


def check_atlas(rows: Iterable[AtlasRow], progress: Progress = silent) -> int:
    """Build each row anew and compare; CertificateError at the first that comes out worse. How many were checked.

    What a search finds depends on the last bits, which processors round differently: SEARCHED is left to it.
    """
    chosen = list(rows)
    for done, row in enumerate(chosen):
        progress("checking", done, len(chosen))
        code = best(num_classes=row.of_classes, dim=row.of_dim, iterations=row.iterations, seed=row.seed)
        now, slack = float(code.max_cosine), SEARCHED if row.scheme == "optimized" else 1e-9
        if now > row.max_cosine + slack:
            cell = f"K = {row.num_classes}, n = {row.dim}"
            raise CertificateError(f"{cell}: the atlas says {row.max_cosine}, built anew it is {now}")
    return len(chosen)
