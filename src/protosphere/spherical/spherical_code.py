"""The class `SphericalCode`: certified points on the unit sphere, and how they were built.

Point i, for i from 0 to K - 1, belongs to class i.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from protosphere.bounds.bound import short_cosine
from protosphere.errors import StorageError, brief
from protosphere.spherical.certificate import Certificate
from protosphere.spherical.crowding import crowding_advice, is_crowded
from protosphere.spherical.io import container as storage
from protosphere.spherical.io.code_file import described
from protosphere.spherical.io.formats import WRITABLE, WRITERS
from protosphere.spherical.placement import Placement
from protosphere.spherical.provenance import Choice, Provenance
from protosphere.storage.files import replace_file
from protosphere.types import Cosine, PackedBits, Points, Progress, ignore


@dataclass(frozen=True, eq=False)
class SphericalCode:
    """Spherical code: K certified unit vectors of R^n, one per class.

    Codes are immutable. Functions such as `ps.construct`, `ps.best`, `ps.load` and `ps.from_points` create them. The
    points are read as float64 rows: by `code[i]`, `code.rows(start, stop)` or `np.asarray(code)`. Binary codes are
    stored with one bit per entry (`code.signs`), and converted when rows are requested.

    Attributes:
        placement: The points and their description.
        certificate: Maximum cosine of the points, with the guarantee (an upper bound on it by theory) and the converse
            (a proved lower bound for any K points in R^n).
        provenance: Record of how the code was built. None for points that protosphere did not construct.
        choice: Record of why `ps.best` chose this code, or why `ps.assign` chose the order of its points. None for
            other codes.

    Example:
        >>> import protosphere as ps
        >>> code = ps.construct("simplex", num_classes=10, dim=9)
        >>> code.num_classes, code.dim, code.points.shape
        (10, 9, (10, 9))
    """

    placement: Placement = field(repr=False)
    certificate: Certificate
    provenance: Provenance | None
    choice: Choice | None = field(default=None, repr=False)

    @property
    def num_classes(self) -> int:
        """Number K of points."""
        return self.certificate.num_classes

    @property
    def dim(self) -> int:
        """Dimension n."""
        return self.certificate.dim

    @property
    def max_cosine(self) -> Cosine:
        """The largest cosine of two different points; a Fraction if it is known exactly."""
        return self.certificate.max_cosine

    @property
    def min_angle_degrees(self) -> float:
        """The smallest angle between two points, in degrees."""
        chord = math.sqrt(max(0.0, 2 - 2 * float(self.max_cosine)))
        return math.degrees(2 * math.asin(min(1.0, chord / 2)))

    @property
    def signs(self) -> PackedBits | None:
        """Signs of the entries of the points, packed eight to a byte; None if the points are not stored as signs.

        There is one row of bytes for each point. Bit 1 stands for the entry +1/sqrt(n), and bit 0 for the entry
        -1/sqrt(n).
        """
        return self.placement.packed_signs

    @property
    def points(self) -> Points:
        """All points as a K x n float64 matrix. For very many classes, `rows` needs less memory."""
        return self.rows(0, self.num_classes)

    def rows(self, start: int, stop: int) -> Points:
        """Return points `start` to `stop - 1` as float64 rows, one row per point.

        A negative `start` or `stop` counts from the end, as in slices.

        Args:
            start: Index of the first returned point.
            stop: One past the index of the last returned point.
        """
        first, last, _ = slice(start, stop).indices(self.num_classes)
        return self.placement.unit_rows(first, max(first, last))

    def __post_init__(self) -> None:
        self.placement.freeze()

    def __deepcopy__(self, memo: object) -> SphericalCode:
        return self  # immutable: copies of a model share its code

    def __getitem__(self, index: int | slice) -> Points:
        """Return the point with this index as a float64 vector, or the points of a slice as float64 rows.

        Raises:
            IndexError: If there is no point with this index.
            TypeError: If `index` is neither an integer nor a slice.
        """
        try:
            chosen = range(self.num_classes)[index]
        except IndexError:
            raise IndexError(
                f"the index of a prototype must be from {-self.num_classes} to {self.num_classes - 1}, got {index}"
            ) from None
        except TypeError:
            raise TypeError(
                f"a code is indexed by an integer or a slice, got {type(index).__name__}; index code.points instead"
            ) from None
        if isinstance(chosen, int):
            return self.rows(chosen, chosen + 1)[0]
        first = min(chosen, default=0)
        last = max(chosen, default=-1)
        return self.rows(first, last + 1)[[position - first for position in chosen]]

    def __len__(self) -> int:
        return self.num_classes

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError(
                "a SphericalCode is not an array: np.asarray(code) makes one, which copy=False forbids"
            )
        return self.points if dtype is None else self.points.astype(dtype)

    def __repr__(self) -> str:
        name = self.provenance.scheme if self.provenance else "points"
        bound = self.certificate.converse
        limit = "at most " if self.certificate.is_upper_bound else ""
        verdict = f"max cosine {limit}{short_cosine(self.max_cosine)}"
        if self.certificate.unverified:
            verdict += " (unverified)"
        if self.certificate.optimal:
            verdict += " = converse"
        else:
            verdict += f", converse {short_cosine(bound.value)}"
        return f"SphericalCode({name}, K={self.num_classes}, n={self.dim}, {verdict} ({bound.theorem}))"

    def explain(self) -> str:
        """Return a text that says why this code was chosen, or how it was built.

        - For codes of `ps.best` and `ps.assign`, the text contains the reason for the choice and a table of the
          candidates. If there are so many classes for the dimension that a network may not learn the prototypes, it
          also gives advice.
        - For all other codes, the text is the description of the points.
        """
        if self.choice is None:
            return self.placement.description
        if not is_crowded(self.num_classes, self.dim):
            return self.choice.table()
        advice = crowding_advice(self.num_classes, self.dim)
        return f"{self.choice.table()}\n{advice}"

    def save(self, path: str | Path, progress: Progress = ignore) -> None:
        """Write the code to a file.

        Args:
            path: File name. A .safetensors file contains the points, the provenance, the certificate and a digest;
                .npy, .csv and .pt files contain only the points, one per row.
            progress: Function that is called with the name of the current stage, the number of finished steps and the
                number of all steps, while rows are written.

        Raises:
            StorageError: If the file name does not end in .safetensors, .npy, .csv or .pt, or the file cannot be
                written.
        """
        target = Path(path)
        ending = Path(path).suffix.lower()
        if ending not in WRITABLE:
            raise StorageError(
                f"cannot write {brief(str(path))}: its name must end in one of {', '.join(WRITABLE)}"
            )
        if ending not in WRITERS:
            arrays = self.placement.structure.arrays()
            storage.write(target, arrays, described(self))
            return
        writer = WRITERS[ending]
        replace_file(target, lambda beside: writer(beside, self.placement, progress))
