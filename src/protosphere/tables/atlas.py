"""The atlas: a table with a row for each pair (K, n) of a number of points and a dimension.

A code is a set of K unit vectors (points) of R^n, one for each class. Its maximum cosine is the largest cosine of two
points. The converse is a proved lower bound on the maximum cosine of any K points in R^n. A row describes the code of K
points in R^n with the lowest known maximum cosine, and the bounds for K and n.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from protosphere.spherical.structures.structure import read_fraction
from protosphere.storage.csv_files import write_csv
from protosphere.storage.files import reading
from protosphere.tables.table_files import column_names, known_rows, shipped_file


@dataclass(frozen=True)
class AtlasRow:
    """Row of the atlas: the best known code of K points in R^n, and the bounds for K and n.

    The best code is the one with the lowest maximum cosine. A row may use its own code, which was made for (K, n). It
    may also use the first K points of the code of another row, with zeros appended, if that code has at least K points
    in at most n dimensions.

    Attributes:
        num_classes: Number K of classes.
        dim: Dimension n.
        max_cosine: Maximum cosine of the best known code.
        exact: Maximum cosine as the text of a fraction; empty if the cosine is not known as a fraction.
        scheme: Name of the construction that makes the code, such as 'simplex'.
        description: Text that says what the code is.
        optimal: Whether the maximum cosine equals the converse, up to rounding.
        converse: Proved lower bound on the maximum cosine of any K points in R^n.
        theorem: Name of the theorem of the converse.
        achievable: Achievable bound: a number such that some code of K points in R^n has at most this maximum cosine,
            by a theorem. None if no theorem applies.
        reed_muller: Maximum cosine of the code that the construction `reed_muller` makes if its option `modify` is
            True: Reed-Muller codes are then shortened, punctured or repeated to length n. None if there is no such
            code.
        bch: Maximum cosine of the code that the construction `bch` makes if its option `modify` is True: BCH codes are
            then shortened, extended, punctured or repeated to length n. None if there is no such code.
        iterations: The option `iterations` of `ps.best`, which limits how often a search evaluates its objective. It is
            0 for rows that were made without a search, and None if the option was not given.
        seed: Seed of the random choices of the search.
        of_classes: Number of classes of the row whose code is used. It is K if the row uses its own code.
        of_dim: Dimension of the row whose code is used. It is n if the row uses its own code.
    """

    num_classes: int
    dim: int
    max_cosine: float
    exact: str
    scheme: str
    description: str
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


def monotone(rows: Iterable[AtlasRow]) -> tuple[AtlasRow, ...]:
    """Return the rows sorted by (K, n), after replacing the codes of some rows by better codes of other rows.

    A row for (K, n) can use the first K points of another row's code if that code has at least K points in at most n
    dimensions. In the result, every row has the code with the lowest maximum cosine among its own code and those that
    it can use.

    Args:
        rows: Rows of an atlas, in any order.
    """
    cells = {(row.dim, row.num_classes): row for row in rows}
    counts = sorted({count for _, count in cells}, reverse=True)
    lowest: dict[int, AtlasRow] = {}
    for dim in sorted({dim for dim, _ in cells}):
        best_so_far: AtlasRow | None = None
        for count in counts:
            found = [
                row
                for row in (cells.get((dim, count)), lowest.get(count), best_so_far)
                if row is not None
            ]
            if found:
                best_so_far = lowest[count] = min(found, key=lambda row: row.max_cosine)
                if (dim, count) in cells:
                    cells[dim, count] = _with_better_code(
                        best_so_far, cells[dim, count]
                    )
    return tuple(sorted(cells.values(), key=lambda row: (row.num_classes, row.dim)))


def _with_better_code(better: AtlasRow, row: AtlasRow) -> AtlasRow:
    # `better` may be `row` itself
    if better.max_cosine >= row.max_cosine - 1e-12:
        return row
    own = (better.of_classes, better.of_dim) == (better.num_classes, better.dim)
    part = f"part of K = {better.num_classes}, n = {better.dim}: " if own else ""
    taken = {
        name: getattr(better, name)
        for name in ("max_cosine", "exact", "scheme", "of_classes", "of_dim")
    }
    return replace(
        row,
        **taken,
        description=part + better.description,
        optimal=better.max_cosine <= row.converse + 1e-12,
    )


def save_atlas(path: str | Path, rows: Iterable[AtlasRow]) -> None:
    """Write an atlas to a CSV file. If the file exists, it is replaced atomically.

    Args:
        path: Path of the file.
        rows: Rows of the atlas in ascending order of (K, n), which is their order in the file.
    """
    write_csv(Path(path), column_names(AtlasRow), [asdict(row) for row in rows])


def read_atlas(path: str | Path) -> tuple[AtlasRow, ...]:
    """Return the rows of the atlas in a CSV file that `save_atlas` wrote, sorted by (K, n).

    Args:
        path: Path of the file.

    Raises:
        StorageError: If the file cannot be read, is not an atlas, or is damaged.
    """
    with reading(path, "not an atlas, or a damaged one"):
        rows: list[AtlasRow] = []
        last = (0, 0)
        for row in known_rows(path, AtlasRow, _is_consistent):
            if (row.num_classes, row.dim) <= last:
                raise ValueError("its cells are not in order, each once")
            last = (row.num_classes, row.dim)
            rows.append(row)
        return tuple(rows)


def shipped_atlas() -> tuple[AtlasRow, ...]:
    """Return the rows of the atlas that is shipped with the package, sorted by (K, n).

    The atlas has a row for each pair (K, n) of 42 values of K and 71 values of n. The numbers K of classes, from 10 to
    a million, are rounded powers of sqrt(2) and round numbers such as 100 and 3,000. The dimensions n are 2, 3, ...,
    64, and 96, 128, 192, 256, 384, 512, 768 and 1,024.
    """
    with shipped_file("atlas.csv.gz") as path:
        return read_atlas(path)


def _is_consistent(row: AtlasRow) -> bool:
    if row.num_classes < 2 or row.dim < 1:
        return False
    if row.seed < 0 or (row.iterations or 0) < 0:
        return False
    if row.of_classes < row.num_classes or not 1 <= row.of_dim <= row.dim:
        return False
    if not -1 <= row.converse <= row.max_cosine + 1e-9 <= 1 + 1e-9:
        return False
    for value in (row.achievable, row.reed_muller, row.bch):
        if value is not None and not abs(value) <= 1:
            return False
    fraction = read_fraction("exact", row.exact or None)
    return fraction is None or abs(float(fraction) - row.max_cosine) < 1e-9
