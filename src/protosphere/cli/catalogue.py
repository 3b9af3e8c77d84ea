"""`protosphere catalogue`."""

import random
from pathlib import Path

import protosphere as ps
from protosphere.cli.arguments import Json, Seed, Whole
from protosphere.cli.screen import print_answer
from protosphere.errors import as_integer
from protosphere.tables.catalogue import (
    check_catalogue,
    read_catalogue,
    shipped_catalogue,
)


def catalogue(
    *,
    file: Path | None = None,
    check: Whole | None = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """What searches found and the package keeps, up to 300 classes in 64 dimensions: where `best` begins.

    Args:
        file: Another catalogue than the package's own.
        check: Make so many of its codes anew, drawn by the seed, and compare.
    """
    held = shipped_catalogue() if file is None else read_catalogue(file)
    report: dict[str, object] = {
        "most_classes": held.most_points,
        "largest_dim": held.largest_dim,
    }
    report |= {"codes": len(held.entries), "kept": len(held.sources)}
    said = f"{len(held.entries)} codes of up to {held.most_points} points in up to {held.largest_dim} dimensions"
    said += f", made from {len(held.sources)} that are kept"
    if check is not None:
        drawn = random.Random(seed).sample(
            held.entries, min(as_integer("check", check, minimum=1), len(held.entries))
        )
        with ps.progress_bar() as progress:
            worst = check_catalogue(held, drawn, progress)
        report |= {"checked": len(drawn), "worst_difference": worst}
        said += f"; {len(drawn)} made anew, at most {max(worst, 0.0):.1g} above what it says"
    print_answer(report, [said], json=json)
