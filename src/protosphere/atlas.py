"""A table of what is known: for every (K, n) the best code, what made it, and the bounds. Resumable, and checkable."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from fractions import Fraction
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from protosphere import bounds
from protosphere.constructions import best, construct
from protosphere.errors import CertificateError, InfeasibleError, StorageError
from protosphere.files import replace_file
from protosphere.types import Progress, silent

COMPARED: dict[str, dict[str, Any]] = {"reed_muller": {"modify": True}, "bch": {"modify": True}}
"""The paper's codes, brought to every dimension, for the columns beside the best."""


@dataclass(frozen=True)
class AtlasRow:
    """One cell: the best max cosine (exact as text where it is), whose it is, and both sides of the truth."""

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
    """Compute the cells that the file does not have yet, the file being replaced after each; all rows of the file.

    Rows made with another seed or other iterations are not kept.
    """
    stored = read_atlas(path) if Path(path).exists() else ()
    rows = {(row.num_classes, row.dim): row for row in stored if (row.iterations, row.seed) == (iterations, seed)}
    for done, cell in enumerate(cells):
        progress("atlas", done, len(cells))
        if cell not in rows:
            rows[cell] = atlas_row(*cell, iterations=iterations, seed=seed)
            _save(path, [rows[key] for key in sorted(rows)])
    progress("atlas", len(cells), len(cells))
    return tuple(rows[key] for key in sorted(rows))


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
    """The atlas that comes with the package: K from 10 to 100,000, telling n from 2 to 1024, algebra alone."""
    with as_file(files("protosphere") / "atlas.csv") as path:
        return read_atlas(path)


def _parsed(record: dict[str, str]) -> AtlasRow:
    kinds: dict[str, Any] = {"num_classes": int, "dim": int, "seed": int, "max_cosine": float, "converse": float}
    maybe: dict[str, Any] = {"achievable": float, "reed_muller": float, "bch": float, "iterations": int}
    values: dict[str, Any] = {name: record[name] for name in (field.name for field in fields(AtlasRow))}
    values |= {name: kind(record[name]) for name, kind in kinds.items()}
    values |= {name: kind(record[name]) if record[name] else None for name, kind in maybe.items()}
    values["optimal"] = {"True": True, "False": False}[record["optimal"]]
    return AtlasRow(**values)


def check_atlas(rows: Iterable[AtlasRow], progress: Progress = silent) -> int:
    """Build each row anew and compare; CertificateError at the first that comes out worse. How many were checked."""
    chosen = list(rows)
    for done, row in enumerate(chosen):
        progress("checking", done, len(chosen))
        code = best(num_classes=row.num_classes, dim=row.dim, iterations=row.iterations, seed=row.seed)
        if float(code.max_cosine) > row.max_cosine + 1e-9:
            cell, now = f"K = {row.num_classes}, n = {row.dim}", float(code.max_cosine)
            raise CertificateError(f"{cell}: the atlas says {row.max_cosine}, built anew it is {now}")
    return len(chosen)
