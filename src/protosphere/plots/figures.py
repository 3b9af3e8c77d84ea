"""Draw figures by their names, and write the data of each figure as a table.

The figures show maximum cosines against the dimension, or histograms of cosines.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from protosphere.coding.primes import prime_powers
from protosphere.constructions import construct
from protosphere.constructions.comparison import compare_at, limit_records
from protosphere.constructions.registry import constructions_with
from protosphere.errors import as_integer
from protosphere.plots.figure_files import save_figure, save_table
from protosphere.plots.histogram import histogram_figure
from protosphere.plots.separation import limit_curve, separation_figure
from protosphere.registry import Registry
from protosphere.spherical.cosines import CosineCounts, cosine_counts
from protosphere.spherical.spherical_code import SphericalCode
from protosphere.types import Progress, ignore

Drawn = tuple[Any, list[dict[str, Any]]]
"""Type of a pair: a matplotlib figure, and the rows of a table with the data of the figure."""

MOST_KEPT_CODES = 12
"""Largest number of codes in the cache of `prototypes`. A code for a thousand classes takes a few megabytes."""

_kept_codes: dict[tuple[str, int, int, int], SphericalCode] = {}


@dataclass(frozen=True)
class NamedFigure:
    """A figure that can be drawn by its name.

    Attributes:
        name: Name of the figure, by which `draw` finds it.
        summary: Description in one line.
        make: Function that takes a seed and a progress function, and returns a matplotlib figure and the rows of a
            table with the data of the figure.
    """

    name: str
    summary: str
    make: Callable[[int, Progress], Drawn]


def draw(
    name: str, folder: str | Path, *, seed: int = 0, progress: Progress = ignore
) -> tuple[Path, ...]:
    """Draw a named figure and write it to files.

    The same seed gives the same figure.

    Args:
        name: Name of the figure, such as 'separation-k100' or 'histogram-k100': a key of `FIGURES`.
        folder: Folder to write to.
        seed: Seed of random schemes.
        progress: Function that is called with the name of the current stage, the number of finished steps and the
            number of all steps.

    Returns:
        The written files: NAME.png, NAME.pdf and NAME.csv.

    Raises:
        InvalidArgumentError: If there is no figure of that name, or if `seed` is negative.
    """
    named = FIGURES.named(name)
    figure, records = named.make(as_integer("seed", seed, minimum=0), progress)
    place = Path(folder)
    return (
        save_figure(figure, place / f"{name}.png"),
        save_figure(figure, place / f"{name}.pdf"),
        save_table(records, place / f"{name}.csv"),
    )


def paper_descents() -> tuple[str, ...]:
    """Return the names of the schemes of Lindström et al. (2024) that optimize points by gradient descent."""
    return constructions_with(lambda traits: traits.in_paper and traits.searched)


def prototypes(
    scheme: str,
    *,
    num_classes: int,
    dim: int,
    seed: int,
    progress: Progress = ignore,
    **options: Any,
) -> SphericalCode:
    """Return the code that `ps.construct` returns for these arguments, from a cache if possible.

    Only schemes of Lindström et al. (2024) that optimize points by gradient descent have their codes in the cache, and
    only if no options are given.

    Args:
        scheme: Name of the scheme, such as 'simplex'.
        num_classes: Number of classes K.
        dim: Dimension n.
        seed: Seed of random schemes.
        progress: Function that is called with the name of the current stage, the number of finished steps and the
            number of all steps.
        options: Options of the scheme, as keyword arguments.
    """

    def build() -> SphericalCode:
        return construct(
            scheme,
            num_classes=num_classes,
            dim=dim,
            seed=seed,
            progress=progress,
            **options,
        )

    if scheme not in paper_descents() or options:
        return build()
    key = (scheme, num_classes, dim, seed)
    if key not in _kept_codes:
        _kept_codes[key] = build()
        while len(_kept_codes) > MOST_KEPT_CODES:
            oldest = next(iter(_kept_codes))
            del _kept_codes[oldest]
    return _kept_codes[key]


def _separation(
    num_classes: int, low: int, high: int, descent_dims: Iterable[int]
) -> NamedFigure:
    requests = native_requests(num_classes, low, high, descent_dims)

    def make(seed: int, progress: Progress) -> Drawn:
        comparison = compare_at(
            num_classes, requests, seed=seed, progress=progress, build=prototypes
        )
        curve = limit_curve(comparison)
        rows = [row for row in comparison.records() if row["kind"] == "scheme"]
        rows += limit_records(num_classes, curve)
        return separation_figure(comparison, curve), rows

    return NamedFigure(
        f"separation-k{num_classes}",
        f"max cosine of {num_classes} prototypes against the dimension, with bounds",
        make,
    )


def native_requests(
    K: int, low: int, high: int, descent_dims: Iterable[int]
) -> list[tuple[str, int]]:
    """Return the codes that a figure of maximum cosines shows, as pairs of a scheme and a dimension.

    The figure shows `best` at many dimensions, and each scheme of Lindström et al. (2024) at dimensions in which the
    scheme exists. There are hundreds of Reed-Solomon codes, so only those are drawn whose codewords have q symbols,
    where q is the number of elements of the field.

    Args:
        K: Number of classes.
        low: Smallest dimension.
        high: Largest dimension.
        descent_dims: Dimensions at which the schemes that optimize points by gradient descent are drawn.

    Returns:
        Pairs (scheme, dimension).
    """
    half = -(-K // 2)
    information_bits = (K - 1).bit_length()
    powers = [1 << m for m in range(high.bit_length()) if low <= 1 << m <= high]
    bch_lengths = [
        length
        for length in (2 * power - 1 for power in [low // 2, *powers])
        if max(low, information_bits) <= length <= high
    ]
    dims = {
        "uniform": powers,
        "reed_solomon": _full_reed_solomon_lengths(K, low, high),
        "reed_muller": [n for n in powers if n >= information_bits],
        "bch": bch_lengths,
        **{descent: list(descent_dims) for descent in paper_descents()},
        "cross_polytope": [half],
        "simplex": [K - 1],
        "one_hot": [K],
    }
    optimal = [n for n in (half, K - 2, K - 1) if n >= low]
    between = _between_powers(powers, half)
    dims["best"] = sorted({*powers, *between, *bch_lengths, *optimal})
    return [(scheme, dim) for scheme, own in dims.items() for dim in own]


def _full_reed_solomon_lengths(K: int, low: int, high: int) -> list[int]:
    lengths: list[int] = []
    for q in prime_powers(256):
        length = q * (q - 1)  # q symbols of q - 1 coordinates each
        if q**q >= K and low <= length <= high:
            lengths.append(length)
    return lengths


def _between_powers(powers: Iterable[int], half: int) -> list[int]:
    dims: list[int] = []
    for power in powers:
        for eighths in (9, 10, 12, 14):
            dim = power * eighths // 8
            if dim < half:
                dims.append(dim)
    return dims


def _histogram(num_classes: int, dim: int, bins: int) -> NamedFigure:
    # `dim` is a power of 2, and BCH codes have lengths 2^m - 1
    schemes = ("uniform", *paper_descents(), "reed_muller")
    requests = [*((scheme, dim) for scheme in schemes), ("bch", dim - 1)]

    def make(seed: int, progress: Progress) -> Drawn:
        counts: list[CosineCounts] = []
        rows: list[dict[str, Any]] = []
        for scheme, n in requests:
            code = prototypes(
                scheme, num_classes=num_classes, dim=n, seed=seed, progress=progress
            )
            count = cosine_counts(code, bins)
            counts.append(count)
            rows += count.records()
        return histogram_figure(counts), rows

    return NamedFigure(
        f"histogram-k{num_classes}",
        f"cosines of all pairs of {num_classes} prototypes in {dim} dimensions (BCH: {dim - 1})",
        make,
    )


POWERS_FROM_4_TO_1024 = (4, 8, 16, 32, 64, 128, 256, 512, 1024)
FEW_DIMS = (32, 128, 512)
"""Dimensions of gradient descents for a thousand classes. Each of these descents takes ten seconds or more."""

FIGURES: Registry[NamedFigure] = Registry("figure")
for _named in (
    _separation(10, 4, 1024, POWERS_FROM_4_TO_1024),
    _separation(100, 4, 1024, POWERS_FROM_4_TO_1024),
    _separation(1000, 16, 2048, FEW_DIMS),
    _histogram(10, 8, 41),
    _histogram(100, 16, 101),
    _histogram(1000, 128, 201),
):
    FIGURES.add(_named.name, _named)
