"""Command `protosphere catalogue`, which shows the size of the catalogue or checks some of its codes.

The catalogue stores codes that earlier searches found.

The function of the command has these arguments, whose help texts are not in its docstring:

- `seed` is the seed of all random choices.
- `json` is True to print JSON, and False to print text.
"""

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
    """Show how many codes the catalogue has.

    The catalogue stores codes that earlier searches found. The command `best` starts its search from them.

    Args:
        file: Path of a catalogue to read instead of the catalogue of the package.
        check: Rebuild this many of the codes, drawn at random.
            Their maximum cosines are compared with the recorded ones.
    """
    held = shipped_catalogue() if file is None else read_catalogue(file)
    codes = len(held.entries)
    stored = len(held.sources)
    record: dict[str, object] = {
        "most_classes": held.most_points,
        "largest_dim": held.largest_dim,
        "codes": codes,
        "kept": stored,
    }
    line = f"{codes} codes of up to {held.most_points} points in up to {held.largest_dim} dimensions"
    line += f", made from {stored} stored ones"
    if check is not None:
        count = min(as_integer("check", check, minimum=1), codes)
        drawn = random.Random(seed).sample(held.entries, count)
        with ps.progress_bar() as progress:
            worst = check_catalogue(held, drawn, progress)
        record["checked"] = count
        record["worst_difference"] = worst
        line += f"; {count} rebuilt, at most {max(worst, 0.0):.1g} above the recorded max cosine"
    print_answer(record, [line], json=json)
