"""Measure the codes of families for the atlas page: the maximum cosine of the first K points, and all cosines.

A member is a code of a family. The maximum cosine of its first K points is a step function of K. For K up to `PREFIX`,
the steps are found from all pairs of points. For larger K, they are found by bisection: if the value is the same for
two K, it is also the same between them.

Steps are written as a flat list [first K, last K, maximum cosine, first K, last K, maximum cosine, ...].
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from protosphere.atlas_page.measurements import CHECKPOINTS, spectra_key
from protosphere.atlas_page.serving import MOST_CLASSES, Serving, serving_members
from protosphere.constructions.registry import available, describe
from protosphere.spherical.statistics import confident_scale
from protosphere.spherical.structures import Plain, Structure
from protosphere.types import Cosine, Points, Progress, ignore

PREFIX = 1000
"""Number of first points whose pairs are all compared."""

DIGITS = 9
"""Number of decimals to which equal cosines agree."""

MOST_LEVELS = 24
"""Largest number of different cosines for which no histogram is made."""

BINS = 24

MOST_PROBES = 12
"""Largest number of measurements for the steps of one code with more than PREFIX points."""

MOST_WORK = 3e10
"""Largest number of multiplications of one such measurement for dense points."""

MOST_COSET_WORK = 1e13
"""The same for words of cosets and lattice points, for which few pairs must be compared."""

SIZES = [1 << k for k in range(1, MOST_CLASSES.bit_length() + 1)]
"""Numbers of classes at which the basis of a linear code gets another row."""


def as_written(value: Cosine) -> str | float:
    """Return a cosine in the form for JSON: a fraction as text, any other cosine as a float."""
    return str(value) if isinstance(value, Fraction) else round(float(value), 12) + 0.0


def exact(value: float, structure: Structure) -> str | float:
    """Return a measured cosine in the form for JSON.

    If all cosines of the structure have the form 1 - i * step for integers i, the cosine is rounded to this form.
    """
    step = structure.cosine_step
    if step is not None:
        return as_written(1 - round((1 - value) / float(step)) * step)
    return as_written(value)


def spectrum_of(points: Points) -> list[Any]:
    """Return the cosines of all pairs of points as a flat list.

    If there are at most `MOST_LEVELS` different cosines, the list is [cosine, number of pairs, cosine, number of pairs,
    ...]. Otherwise, it is a histogram: ["bins", smallest cosine, largest cosine, number of antipodal pairs, energy,
    number of pairs in bin 1, number of pairs in bin 2, ...].
    """
    gram = np.round(points @ points.T, DIGITS)[np.triu_indices(len(points), 1)]
    levels, pairs = np.unique(gram, return_counts=True)
    if len(levels) <= MOST_LEVELS:
        return [
            number
            for level, count in zip(levels, pairs, strict=True)
            for number in (round(float(level), 6), int(count))
        ]
    scale = confident_scale(len(points), float(levels[-1]))
    energy = 2 * float(np.exp(scale * (gram - 1)).sum()) / len(points)
    counts, edges = np.histogram(gram, bins=BINS)
    ends = [round(float(edges[0]), 6), round(float(edges[-1]), 6)]
    return [
        "bins",
        *ends,
        int(np.count_nonzero(gram <= -1 + 1e-9)),
        round(energy, 6),
        *counts.tolist(),
    ]


def measured_member(serving: Serving) -> dict[str, Any]:
    """Return the steps of a member for the numbers of classes that it serves, and its cosines at the checkpoints."""
    count = min(serving.member.size, PREFIX)
    structure = serving.member.place(count).structure
    points = structure.unit_rows(0, count)
    if serving.first <= count:
        steps = prefix_steps(points, structure, serving.first, min(serving.last, count))
    else:
        steps = []
    if serving.last > count:
        steps += probed_steps(serving, max(serving.first, count))
    inside = [K for K in CHECKPOINTS if serving.first <= K <= min(serving.last, count)]
    inside += (
        [min(count, serving.last)] if min(count, serving.last) not in inside else []
    )
    return {
        "steps": merged(steps),
        "spectra": {K: spectrum_of(points[:K]) for K in inside},
    }


def prefix_steps(
    points: Points, structure: Structure, first: int, last: int
) -> list[Any]:
    """Return the steps for K from `first` to `last`, computed from all pairs of points."""
    gram = np.round(points[:last] @ points[:last].T, DIGITS + 3)
    gram[np.triu_indices(last)] = -2
    running = np.maximum.accumulate(gram.max(axis=1))[first - 1 : last]
    jumps = [
        0,
        *(np.flatnonzero(np.diff(running) > 10.0**-DIGITS) + 1).tolist(),
        len(running),
    ]
    found: list[Any] = []
    for start, stop in pairwise(jumps):
        found += [
            first + start,
            first + stop - 1,
            exact(float(running[stop - 1]), structure),
        ]
    return found


def probed_steps(serving: Serving, first: int) -> list[Any]:
    """Return the steps for K from `first` on, found by bisection. At most `MOST_PROBES` values of K are measured."""
    member = serving.member
    left = [MOST_PROBES]

    @cache
    def value(count: int) -> Cosine | None:
        placed = member.place(count).structure if left[0] > 0 else None
        left[0] -= 1
        quick = placed is not None and placed.work <= (
            MOST_WORK if type(placed) is Plain else MOST_COSET_WORK
        )
        if placed is not None and quick:
            return placed.largest_cosine(ignore)[0]
        return None

    def steps(low: int, high: int) -> Iterator[Any]:
        below = value(low)
        above = value(high)
        if (
            below is not None
            and above is not None
            and abs(float(below) - float(above)) < 10.0**-DIGITS
        ):
            yield from (low, high, as_written(above))
        elif below is not None and above is not None and high - low > 1 and left[0] > 0:
            middle = (low + high) // 2
            yield from (*steps(low, middle), *steps(middle, high))
        elif below is not None:
            yield from (low, low, as_written(below))

    if attained(value(first), member.max_cosine):
        return [first, serving.last, as_written(value(first) or 0)]
    cuts = sorted(
        {first, serving.last, *(size for size in SIZES if first < size < serving.last)}
    )
    found: list[Any] = []
    for low, high in pairwise(cuts):
        found += steps(low, high)
        if attained(value(high), member.max_cosine):
            return [*found, high, serving.last, as_written(value(high) or 0)]
    return found


def attained(value: Cosine | None, guarantee: Cosine) -> bool:
    """Return whether the value equals the guarantee. Then the maximum cosine is the same for all larger K."""
    return value is not None and abs(float(value) - float(guarantee)) < 10.0**-DIGITS


def merged(steps: list[Any]) -> list[Any]:
    """Return the steps after joining neighboring intervals of K with the same maximum cosine."""
    out: list[Any] = []
    for low, high, value in zip(*[iter(steps)] * 3, strict=True):
        if out and low <= out[-2] + 1 and out[-1] == value:
            out[-2] = max(high, out[-2])
        elif not out or high > out[-2]:
            out += [max(low, out[-2] + 1) if out else low, high, value]
    return out


def measured_families(
    progress: Progress, known: dict[str, dict[str, Any]]
) -> dict[str, Any]:
    """Return the measurements of all members by key.

    `known` has the measurements in the file of the package. Members in it are not measured again.
    """
    wanted = [
        (name, one) for name in available() for one in serving_members(describe(name))
    ]
    found: dict[str, Any] = {}
    for done, (name, one) in enumerate(wanted):
        progress(f"families: {name}", done, len(wanted))
        key = spectra_key(name, one.member.dim, one.member.id)
        if key in known["steps"]:
            found[key] = {
                "steps": known["steps"][key],
                "spectra": known["spectra"].get(key, {}),
            }
        else:
            found[key] = measured_member(one)
    return found
