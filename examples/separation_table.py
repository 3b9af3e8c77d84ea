"""Print the maximum cosine for several sizes and schemes: the table of the front page.

`python examples/separation_table.py` takes about half a minute, most of it for two schemes of gradient descent.
`--quick` leaves these two out. `--json` prints JSON, with fractions as text.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from fractions import Fraction

import protosphere as ps

SIZES = ((10, 8), (10, 16), (100, 16), (100, 64), (100, 128), (1000, 128), (1000, 512))
"""(K, n)."""

Entry = str | float | None


def entry(value: Fraction | float) -> Entry:
    """Return a fraction or an integer as text, and any other value as a float."""
    return str(value) if isinstance(value, int | Fraction) else float(value)


def constructed(scheme: str, num_classes: int, dim: int, **options: object) -> Entry:
    """Return the maximum cosine of a scheme; None if the scheme has no code for K and n."""
    try:
        return entry(
            ps.construct(scheme, num_classes=num_classes, dim=dim, **options).max_cosine
        )
    except ps.InfeasibleError:
        return None


def columns(quick: bool) -> dict[str, Callable[[int, int], Entry]]:
    """Return a function from K and n to an entry for each column, by heading. If `quick`, descents are left out."""
    algebra: dict[str, Callable[[int, int], Entry]] = {
        "one-hot": lambda K, n: constructed("one_hot", K, n),
        "simplex": lambda K, n: constructed("simplex", K, n),
        "Reed-Muller": lambda K, n: constructed("reed_muller", K, n),
        "BCH (n - 1)": lambda K, n: constructed("bch", K, n - 1),
        "BCH modified": lambda K, n: constructed("bch", K, n, modify=True),
    }
    descents: dict[str, Callable[[int, int], Entry]] = {
        "log-sum-exp": lambda K, n: constructed("log_sum_exp", K, n, seed=0),
        "Mettes": lambda K, n: constructed("mean_row_max", K, n, seed=0),
    }
    known: dict[str, Callable[[int, int], Entry]] = {
        "best": lambda K, n: entry(
            ps.best(num_classes=K, dim=n, iterations=0).max_cosine
        ),
        "converse": lambda K, n: entry(ps.bounds.converse(num_classes=K, dim=n).value),
    }
    return algebra | ({} if quick else descents) | known


def rows(quick: bool) -> Iterator[tuple[str, dict[str, Entry]]]:
    """Yield each row: its size "K, n" as text, and its entries by heading."""
    for num_classes, dim in SIZES:
        made = {
            heading: make(num_classes, dim) for heading, make in columns(quick).items()
        }
        yield f"{num_classes}, {dim}", made


def shown(value: Entry) -> str:
    """Return an entry as text for the printed table."""
    if value is None:
        return "-"
    return value if isinstance(value, str) else f"{value:.4f}"


def main() -> None:
    """Print the table. Each row is printed as soon as it is computed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    if given.json:
        print(json.dumps(dict(rows(given.quick))))
        return
    print(
        "K, n".ljust(12)
        + "".join(heading.rjust(18) for heading in columns(given.quick))
    )
    for size, made in rows(given.quick):
        print(
            size.ljust(12) + "".join(shown(value).rjust(18) for value in made.values()),
            flush=True,
        )


if __name__ == "__main__":
    main()
