"""Figures by name: separation against the dimension and histograms of cosines, each with a table of its numbers."""

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
from protosphere.spherical.cosines import cosine_counts
from protosphere.spherical.spherical_code import SphericalCode
from protosphere.types import Progress, ignore

Drawn = tuple[Any, list[dict[str, Any]]]
"""A matplotlib figure and the tidy rows it shows."""

KEPT = 12
"""How many codes are held, the oldest going first: a few megabytes each at a thousand classes."""

_remembered: dict[tuple[str, int, int, int], SphericalCode] = {}


@dataclass(frozen=True)
class FigureRecipe:
    """One figure: what it shows, and how it is made from a seed."""

    name: str
    summary: str
    make: Callable[[int, Progress], Drawn]


def draw(
    name: str, folder: str | Path, *, seed: int = 0, progress: Progress = ignore
) -> tuple[Path, ...]:
    """Write NAME.png, NAME.pdf and NAME.csv into `folder`; the same seed gives the same numbers."""
    figure, records = FIGURES.named(name).make(
        as_integer("seed", seed, minimum=0), progress
    )
    place = Path(folder)
    pictures = [
        save_figure(figure, place / f"{name}{suffix}") for suffix in (".png", ".pdf")
    ]
    return (*pictures, save_table(records, place / f"{name}.csv"))


def paper_descents() -> tuple[str, ...]:
    """Return the schemes of the paper that are found by descent."""
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
    """`construct`, that answers the same again where a descent at its default options was asked for lately."""
    if scheme not in paper_descents() or options:
        return construct(
            scheme,
            num_classes=num_classes,
            dim=dim,
            seed=seed,
            progress=progress,
            **options,
        )
    key = (scheme, num_classes, dim, seed)
    if key not in _remembered:
        _remembered[key] = construct(
            scheme, num_classes=num_classes, dim=dim, seed=seed, progress=progress
        )
        while len(_remembered) > KEPT:
            del _remembered[next(iter(_remembered))]
    return _remembered[key]


def _separation(
    num_classes: int, low: int, high: int, descent_dims: Iterable[int]
) -> FigureRecipe:
    requests = native_requests(num_classes, low, high, descent_dims)

    def make(seed: int, progress: Progress) -> Drawn:
        comparison = compare_at(
            num_classes, requests, seed=seed, progress=progress, build=prototypes
        )
        curve = limit_curve(comparison)
        rows = [
            row for row in comparison.records() if row["kind"] == "scheme"
        ] + limit_records(num_classes, curve)
        return separation_figure(comparison, curve), rows

    summary = (
        f"max cosine of {num_classes} prototypes against the dimension, with bounds"
    )
    return FigureRecipe(f"separation-k{num_classes}", summary, make)


def native_requests(
    K: int, low: int, high: int, descent_dims: Iterable[int]
) -> list[tuple[str, int]]:
    """Return (scheme, dim) pairs: each scheme at its native dimensions, and the best known code at all of them.

    Reed-Solomon at its full lengths q (q - 1) only: there are hundreds of shorter ones. The descents where asked for.
    """
    needed = (K - 1).bit_length()
    powers = [1 << m for m in range(high.bit_length()) if low <= 1 << m <= high]
    cyclic = [
        n
        for n in (2 * power - 1 for power in [low // 2, *powers])
        if max(low, needed) <= n <= high
    ]
    between = [
        power * part // 8
        for power in powers
        for part in (9, 10, 12, 14)
        if power * part // 8 < -(-K // 2)
    ]
    full = [
        q * (q - 1)
        for q in prime_powers(256)
        if q**q >= K and low <= q * (q - 1) <= high
    ]
    dims = {
        "uniform": powers,
        "reed_solomon": full,
        "reed_muller": [n for n in powers if n >= needed],
        "bch": cyclic,
        **{descent: list(descent_dims) for descent in paper_descents()},
        "cross_polytope": [-(-K // 2)],
        "simplex": [K - 1],
        "one_hot": [K],
        "best": sorted(
            {
                *powers,
                *between,
                *cyclic,
                *(n for n in (-(-K // 2), K - 2, K - 1) if n >= low),
            }
        ),
    }
    return [(scheme, dim) for scheme, own in dims.items() for dim in own]


def _histogram(num_classes: int, dim: int, bins: int) -> FigureRecipe:
    def make(seed: int, progress: Progress) -> Drawn:
        requests = [
            (scheme, dim) for scheme in ("uniform", *paper_descents(), "reed_muller")
        ] + [("bch", dim - 1)]
        codes = [
            prototypes(s, num_classes=num_classes, dim=n, seed=seed, progress=progress)
            for s, n in requests
        ]
        counts = [cosine_counts(code, bins) for code in codes]
        return histogram_figure(counts), [
            row for count in counts for row in count.records()
        ]

    summary = f"cosines of all pairs of {num_classes} prototypes in {dim} dimensions (BCH: {dim - 1})"
    return FigureRecipe(f"histogram-k{num_classes}", summary, make)


FIGURES: Registry[FigureRecipe] = Registry("figure")
for _recipe in (
    _separation(10, 4, 1024, [4, 8, 16, 32, 64, 128, 256, 512, 1024]),
    _separation(100, 4, 1024, [4, 8, 16, 32, 64, 128, 256, 512, 1024]),
    _separation(
        1000, 16, 2048, [32, 128, 512]
    ),  # a descent on a million pairs takes ten seconds and more
    _histogram(10, 8, 41),
    _histogram(100, 16, 101),
    _histogram(1000, 128, 201),
):
    FIGURES.add(_recipe.name, _recipe)
