"""Search for linear codes that reach the minimum distances of a table.

Codes are made from orbits of random groups by tabu search. Then other codes are derived from them.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from itertools import combinations
from math import lcm
from pathlib import Path

from protosphere.coding.polynomials import degree
from protosphere.tables.linear_codes import LARGEST_LENGTH, read_linear_codes
from protosphere.types import Progress, ignore
from tools.linear.orbit_search import (
    chosen_orbits,
    compositions,
    irreducible,
    orbit_weights,
    order_of_x,
    random_group,
)
from tools.linear.table_file import save_linear_codes
from tools.linear.tail_search import derived_codes, proved
from tools.linear.workshop import Found, Workshop, workshop_of

MOST_ORBITS = 1000
STEPS = 300
CELLS_A_GROUP = 8


def cyclic_codes(most_rows: int = 12) -> Iterator[Found]:
    """Yield every cyclic code of odd length and dimension up to `most_rows`.

    Codes are left out if all their codewords repeat a shorter word. Lengths go up to `LARGEST_LENGTH`.
    """
    for n in range(3, LARGEST_LENGTH, 2):
        factors = irreducible(n)
        for count in range(1, len(factors) + 1):
            for moduli in combinations(factors, count):
                if (
                    sum(map(degree, moduli)) <= most_rows
                    and lcm(*map(order_of_x, moduli)) == n
                ):
                    yield _cyclic(moduli, n)


def _cyclic(moduli: tuple[int, ...], n: int) -> Found:
    places = [sum(map(degree, moduli[:i])) for i in range(len(moduli))]
    names = (
        ".".join(f"{modulus:x}" for modulus in moduli),
        f"{sum(1 << place for place in places):x}",
    )
    code = proved(
        Found(n, sum(map(degree, moduli)), 1, f"orbits {names[0]} {names[1]}")
    )
    assert code is not None, "one orbit of length n"
    return code


def hunt(
    path: Path,
    targets: Mapping[tuple[int, int], int],
    *,
    groups: int,
    seed: int,
    start: Path | None = None,
    progress: Progress = ignore,
) -> Workshop:
    """Search for better codes for the pairs (n, k) whose minimum distance is below its target, and return all codes.

    The search starts from the table at `path`. If there is none, it starts from the table at `start`. If that is None,
    it starts from cyclic codes. Whenever better codes are found, the table at `path` is replaced.

    Args:
        path: Path of the table of codes.
        targets: Minimum distances to reach, by length and dimension.
        groups: Number of random groups to try.
        seed: Seed of the random choices.
        start: Path of another table, or None.
        progress: Called before each group.
    """
    kept = path if path.exists() else start
    if kept:
        workshop = workshop_of(read_linear_codes(kept))
    else:
        workshop = workshop_of(None, cyclic_codes())
    save_linear_codes(path, workshop.rows())
    rng = random.Random(seed)
    for done in range(groups):
        progress("groups", done, groups)
        behind = workshop.behind(targets)
        if not behind:
            break
        if sum(
            workshop.add(code)
            for code in _found(workshop, targets, rng.choice(behind)[1], rng)
        ):
            workshop.combine()
            save_linear_codes(path, workshop.rows())
    progress("groups", groups, groups)
    return workshop


def _found(
    workshop: Workshop,
    targets: Mapping[tuple[int, int], int],
    k: int,
    rng: random.Random,
) -> Iterator[Found]:
    """Yield codes of dimension `k` made from one random group, and codes derived from them."""
    group = orbit_weights(*random_group(k, rng, MOST_ORBITS), LARGEST_LENGTH)
    near = sorted(
        {
            n - tail
            for n, other in workshop.behind(targets)
            if other == k
            for tail in range(9)
            if n - tail > k
        }
    )
    for n in (
        rng.sample(near, min(len(near), CELLS_A_GROUP))
        if group and len(group.sizes)
        else ()
    ):
        even = max(targets.get((n, k), 0), workshop.d(n, k)) // 2 * 2
        for lengths in compositions(group.sizes, n, rng):
            chosen = [
                chosen_orbits(group, lengths, d, STEPS, rng)
                for d in (even, even - 2)
                if d > 1
            ]
            base = next(
                (proved(group.code(orbits, n, 1)) for orbits in chosen if orbits), None
            )
            if base is not None:
                yield base
                yield from filter(
                    None, map(proved, derived_codes(base, workshop, targets, rng))
                )
