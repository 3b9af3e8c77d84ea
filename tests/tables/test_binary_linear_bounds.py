"""No code of ours is better than a binary linear code can be.

The bounds are A. E. Brouwer's table "Bounds on the minimum distance of linear codes", GF(2), n <= 257, May 2006.
binary_linear_code_bounds_excerpt.csv holds its rows for the (n, k) of our codes; with PROTOSPHERE_DATA set the whole
table is read as well.
"""

import csv
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.coding.built_codes import bch
from tests.needs_data import needs_data

from protosphere.coding.bch import bch_family
from protosphere.coding.linear import smallest_weight
from protosphere.coding.reed_muller import dimension

EXCERPT = Path(__file__).parent / "binary_linear_code_bounds_excerpt.csv"
Table = dict[tuple[int, int], tuple[int, int]]


class Code(NamedTuple):
    name: str
    n: int
    k: int
    distance: int


def our_codes() -> Iterator[Code]:
    """Every Reed-Muller code with m <= 8; every BCH code with n <= 255, its even-weight subcode and its extension."""
    for m in range(9):
        yield from (
            Code(f"RM({r},{m})", 2**m, dimension(r, m), 2 ** (m - r))
            for r in range(m + 1)
        )
    for m in range(2, 9):
        for code in (*bch_family(m, even=True), *bch_family(m)):
            name = f"{'even ' if code.even else ''}BCH({code.n},{code.k})"
            distance = code.bose_distance
            if code.k <= 16:
                distance = smallest_weight(bch(m, code.k, code.even), code.n)
            yield Code(name, code.n, code.k, distance)
            if not code.even:
                yield Code(
                    f"extended {name}", code.n + 1, code.k, distance + distance % 2
                )


def table(path: Path) -> Table:
    with path.open(newline="") as lines:
        rows = csv.DictReader(line for line in lines if not line.startswith("#"))
        return {
            (int(row["n"]), int(row["k"])): (int(row["lower"]), int(row["upper"]))
            for row in rows
        }


@pytest.fixture(scope="module")
def codes() -> list[Code]:
    return list(our_codes())


def above_the_bound(codes: list[Code], bounds: Table) -> list[str]:
    return [code.name for code in codes if code.distance > bounds[code.n, code.k][1]]


def test_no_code_exceeds_the_excerpt(codes: list[Code]) -> None:
    assert above_the_bound(codes, table(EXCERPT)) == []


def test_reed_muller_codes_of_order_one_and_the_hamming_codes_meet_the_bound(
    codes: list[Code],
) -> None:
    bounds = table(EXCERPT)
    met = {code.name for code in codes if code.distance == bounds[code.n, code.k][1]}
    assert {f"RM(1,{m})" for m in range(1, 9)} <= met
    assert {f"BCH({2**m - 1},{2**m - 1 - m})" for m in range(2, 9)} <= met
    assert {f"even BCH({2**m - 1},{m})" for m in range(2, 9)} <= met


@needs_data
def test_no_code_exceeds_the_full_table_and_the_excerpt_is_a_part_of_it(
    codes: list[Code],
) -> None:
    full = table(
        Path(os.environ["PROTOSPHERE_DATA"])
        / "tables"
        / "binary_linear_code_bounds_2006.csv"
    )
    assert above_the_bound(codes, full) == []
    assert table(EXCERPT).items() <= full.items()
