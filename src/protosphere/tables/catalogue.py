"""Catalogue of codes that long searches found: some are stored, the others are derived from stored codes.

A code is a set of K unit vectors (points) of R^n. Its maximum cosine is the largest cosine of two points. The
coordinates of a stored code are rounded to a few levels. A short numerical optimization, called a descent, recovers the
exact points. Codes of other sizes are derived from stored codes by a descent as well. For example, the descent for a
code of 94 points starts from a code of 100 points, of which six are removed. An entry of the catalogue says from which
stored code a code is derived.
"""

import operator
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from protosphere.compiled.threads import single_threaded
from protosphere.geometry.gram import max_cosine
from protosphere.geometry.sphere import normalized
from protosphere.search.descent_backend import (
    MAX_COMPILED_POINTS,
    TEMPERATURE_FACTOR,
    compile_descent,
)
from protosphere.search.initialization import resize
from protosphere.search.polish import polish_code
from protosphere.storage.files import reading
from protosphere.tables.table_files import (
    REBUILD_TOLERANCE,
    check_claim,
    column_names,
    read_rows,
    shipped_file,
)
from protosphere.types import Points, Progress, ignore

FIRST_TEMPERATURES = (20.0, 1000.0)
"""Range of a random number; the first inverse temperature of a descent is this number / (1 - maximum cosine)."""

MAX_SHAKE = 0.1
"""Largest random perturbation of points, relative to their smallest angle.

Without a perturbation, the points of a code from a smaller dimension would stay in a subspace of that dimension.
"""

LAST_TEMPERATURE = 1e6
STEPS = 100
MAX_POLISHED_SIZE = 400
"""Largest K n for which Newton's method ends a descent; for larger codes, an error of 1e-5 remains."""

MOST_BYTES = 1 << 28
"""Largest total size of the arrays of a catalogue file; larger files are refused."""


@dataclass(frozen=True, eq=False)
class QuantizedCode:
    """A stored code, whose coordinates are rounded to multiples of a step.

    Attributes:
        levels: K x n matrix of integers: the rounded coordinates, divided by the step.
        angle: Smallest angle between two points of the code, in radians.
    """

    levels: NDArray[np.int8]
    angle: float

    def __post_init__(self) -> None:
        levels = self.levels
        angle = self.angle
        if (
            levels.dtype != np.int8
            or len(levels) < 2
            or not levels.any(axis=1).all()
            or not 1e-6 < angle <= np.pi
        ):
            raise ValueError(
                f"a kept code of shape {levels.shape} and angle {angle} has no points or no angle"
            )

    @property
    def points(self) -> Points:
        """The rounded points as unit vectors, one per row."""
        return normalized(self.levels.astype(np.float64))


@dataclass(frozen=True)
class CatalogueEntry:
    """Entry of the catalogue: the derivation of a code of K points in R^n from a stored code.

    Attributes:
        num_points: Number K of points.
        dim: Dimension n.
        source: Index in `Catalogue.sources`, from 0, of the stored code from which the code is derived.
        seed: Seed of the random choices of the derivation.
        max_cosine: Maximum cosine of the derived code, as computed when the catalogue was made.
    """

    num_points: int
    dim: int
    source: int
    seed: int
    max_cosine: float


EQUIVALENT_SECONDS = 1.0
"""Number of seconds of search for which a code of the catalogue counts: about what its search takes on two cores."""


def equivalent_iterations(num_points: int, dim: int) -> int:
    """Return about how often a search must evaluate its objective to find the catalogue's code of K points in R^n.

    The estimate is correct up to a factor of about two.

    Args:
        num_points: Number K of points.
        dim: Dimension n.
    """
    return int(min(60_000, max(1000, 5e9 / (num_points**2 * (dim + 10)))))


def relax(source: QuantizedCode, num_points: int, dim: int, seed: int) -> Points:
    """Derive a code of K points in R^n from a stored code.

    First, points and coordinates are added to the stored code or removed from it, until there are K points in n
    dimensions. Then the points are moved by small random vectors. Finally, a numerical optimization (the descent)
    lowers their maximum cosine.

    Args:
        source: The stored code, which may have another number of points and another dimension.
        num_points: Number K of points.
        dim: Dimension n.
        seed: Seed of the random choices.

    Returns:
        The points as unit vectors, one per row.
    """
    from protosphere.search.compiled_lbfgs import compiled_anneal

    rng = np.random.default_rng(seed)
    heats: Points = np.log(np.array(FIRST_TEMPERATURES))
    heat = np.exp(rng.uniform(float(heats[0]), float(heats[1])))
    first = float(heat / (1 - np.cos(source.angle)))
    start = resize(source.points, num_points, dim, rng, caps=False)
    start += (
        MAX_SHAKE
        * rng.random()
        * source.angle
        / np.sqrt(dim)
        * rng.standard_normal(start.shape)
    )
    return normalized(
        compiled_anneal(
            np.ascontiguousarray(start),
            first,
            LAST_TEMPERATURE,
            TEMPERATURE_FACTOR,
            STEPS,
        )
    )


def finish(points: Points) -> Points:
    """Return the points of a code, refined by Newton's method if the code is small.

    - If K n is at most 400 (`MAX_POLISHED_SIZE`), the refined points are returned.
    - Otherwise, the points are returned unchanged.

    Args:
        points: K x n matrix of unit vectors.
    """
    return polish_code(points)[0] if points.size <= MAX_POLISHED_SIZE else points


@dataclass(frozen=True, eq=False)
class Catalogue:
    """Stored codes, and the entries that derive codes for many other (K, n).

    The searches for the catalogue included all pairs (K, n) with K up to `most_points` and n up to `largest_dim`, and
    the pairs in `searched_beyond`.

    Attributes:
        sources: The stored codes.
        entries: Derivations of codes from stored codes. A pair (K, n) has no entry if an equally good code results from
            the entry of another pair.
        most_points: Largest K for which the searches included all n up to `largest_dim`.
        largest_dim: Largest n that the searches included for K up to `most_points`.
        searched_beyond: Pairs (K, n) with K above `most_points` that the searches included.
    """

    sources: tuple[QuantizedCode, ...]
    entries: tuple[CatalogueEntry, ...]
    most_points: int
    largest_dim: int
    searched_beyond: frozenset[tuple[int, int]] = frozenset()

    def covers(self, num_points: int, dim: int) -> bool:
        """Return whether the searches for the catalogue included codes of K points in R^n.

        Args:
            num_points: Number K of points.
            dim: Dimension n.
        """
        within = num_points <= self.most_points and dim <= self.largest_dim
        return within or (num_points, dim) in self.searched_beyond

    @property
    def extent(self) -> str:
        """Text for messages that says for which pairs (K, n) the searches for the catalogue looked for codes."""
        larger = sorted({num_points for num_points, _ in self.searched_beyond})
        numbers = f", and for K = {', '.join(map(str, larger))}" if larger else ""
        return (
            f"every K up to {self.most_points}{numbers}, in n up to {self.largest_dim}"
        )

    def can_build(self, entry: CatalogueEntry) -> bool:
        """Return whether an entry is valid, so that its code can be built.

        An entry is valid if it satisfies all these conditions:

        - The catalogue has a stored code with the index `entry.source`. The dimension of this stored code, minus the
          dimension of the entry, is at most the number of points of the stored code.
        - The entry has 2 to 6,000 points, 1 to 6,000 dimensions, a seed of at least 0, and a maximum cosine from -1 to
          1.
        - The searches for the catalogue included (K, n).
        """
        if not (
            0 <= entry.source < len(self.sources)
            and entry.seed >= 0
            and -1 <= entry.max_cosine <= 1
        ):
            return False
        count, wide = self.sources[entry.source].levels.shape
        sizes = (
            2 <= entry.num_points <= MAX_COMPILED_POINTS
            and 1 <= entry.dim <= MAX_COMPILED_POINTS
        )
        return (
            sizes
            and self.covers(entry.num_points, entry.dim)
            and wide - entry.dim <= count
        )

    def best_entry(self, num_points: int, dim: int) -> CatalogueEntry | None:
        """Return the entry with the lowest maximum cosine among those with at least K points in at most n dimensions.

        If surplus points of its code are omitted and zeros are appended, K points in R^n result.

        Args:
            num_points: Number K of points.
            dim: Dimension n.

        Returns:
            The entry. None if no entry has at least K points in at most n dimensions.
        """
        fitting = [
            one
            for one in self.entries
            if one.num_points >= num_points and one.dim <= dim
        ]
        return min(fitting, key=lambda one: one.max_cosine, default=None)

    def build(self, entry: CatalogueEntry, progress: Progress = ignore) -> Points:
        """Build the code of an entry: the points that result from its stored code by a numerical optimization.

        Args:
            entry: The entry.
            progress: Function that is called once with a message, 0 and 1 before the program of the optimization is
                compiled. If this program has already been compiled, the function is not called.

        Returns:
            The points of the code as unit vectors, one per row.
        """
        compile_descent(progress)
        with single_threaded():
            return finish(
                relax(
                    self.sources[entry.source], entry.num_points, entry.dim, entry.seed
                )
            )


def read_catalogue(path: str | Path) -> Catalogue:
    """Read a catalogue from a file.

    Args:
        path: Path of the .npz file.

    Raises:
        StorageError: If the file is not a catalogue or is damaged.
    """
    with reading(path, "not a catalogue, or a damaged one"):
        with (
            Path(path).open("rb") as opened,
            np.load(opened, allow_pickle=False) as file,
        ):
            if sum(member.file_size for member in file.zip.infolist()) > MOST_BYTES:
                raise ValueError(f"unpacked it takes more than {MOST_BYTES >> 20} MB")
            columns = {name: file[name] for name in file.files}
        shapes = columns["shapes"].astype(int, casting="safe")
        cuts = np.cumsum(shapes.prod(axis=1))
        parts = np.split(columns["levels"], cuts[:-1]) if len(cuts) else []
        angles = columns["angles"].tolist()
        sources = [
            QuantizedCode(p.reshape(s), float(a))
            for p, s, a in zip(parts, shapes, angles, strict=True)
        ]
        most_points, largest_dim = (
            operator.index(value) for value in columns["extent"].tolist()
        )
        beyond = columns.get(
            "searched_beyond", np.zeros((0, 2), dtype=np.uint16)
        ).astype(int, casting="safe")
        pairs = frozenset((num_points, dim) for num_points, dim in beyond.tolist())
        catalogue = Catalogue(tuple(sources), (), most_points, largest_dim, pairs)
        lists = {name: columns[name].tolist() for name in column_names(CatalogueEntry)}
        return replace(
            catalogue,
            entries=tuple(read_rows(CatalogueEntry, lists, catalogue.can_build)),
        )


@lru_cache(maxsize=1)
def shipped_catalogue() -> Catalogue:
    """Return the catalogue that is shipped with the package."""
    with shipped_file("catalogue.npz") as path:
        return read_catalogue(path)


def check_catalogue(
    catalogue: Catalogue, chosen: Sequence[CatalogueEntry], progress: Progress = ignore
) -> float:
    """Rebuild codes of a catalogue, and compare their maximum cosines with those that the entries state.

    Args:
        catalogue: The catalogue.
        chosen: Entries whose codes are rebuilt.
        progress: Function that is called before each code with the name of the stage, the number of finished codes and
            the number of all codes.

    Returns:
        The largest excess of the maximum cosine of a rebuilt code over the one that its entry states, or 0.0 if there
        is no excess.

    Raises:
        CertificateError: If an excess is larger than 0.02 (`REBUILD_TOLERANCE`).
    """
    worst = 0.0
    for done, entry in enumerate(chosen):
        progress("checking", done, len(chosen))
        where = f"K = {entry.num_points}, n = {entry.dim}: the catalogue"
        found = max_cosine(catalogue.build(entry, progress))
        worst = max(
            worst, check_claim(where, entry.max_cosine, found, REBUILD_TOLERANCE)
        )
    return worst
