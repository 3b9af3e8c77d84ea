"""Every other format that is read, changed at random: `python -m tests.fuzz.other_files 10000 [SEED] [FORMAT ...]`.

Allowed is an error of ours in one printable sentence, or an answer; not allowed are other exceptions and warnings, a
crash, more than ten seconds, and a gigabyte.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Collection
from pathlib import Path

import torch
from tests.fuzz.code_files import SECONDS, at_most, check_memory, peak_memory
from tests.fuzz.containers import CONTAINERS, changed
from tests.fuzz.formats import formats

import protosphere as ps


def examine(reader: Callable[[Path], object], path: Path) -> str:
    """'refused' or 'read'; whatever else was raised is an error."""
    try:
        with at_most(SECONDS):
            reader(path)
    except ps.ProtosphereError as error:
        if not str(error).isprintable():
            raise AssertionError(f"a sentence that is none: {error!r}") from error
        return "refused"
    return "read"


def fuzz(
    count: int, seed: int = 0, only: Collection[str] = ()
) -> dict[str, dict[str, int]]:
    """How many of `count` files of each format were refused, and how many read."""
    results: dict[str, dict[str, int]] = {}
    with tempfile.TemporaryDirectory() as name:
        for title, (source, reader, container) in formats(Path(name)).items():
            if only and title not in only:
                continue
            rng = random.Random(f"{title} {seed}")
            held = peak_memory()
            found = {"refused": 0, "read": 0}
            target = Path(name) / f"changed{source.suffix}"
            content = source.read_bytes()
            for number in range(count):
                target.write_bytes(
                    changed(content, CONTAINERS.get(container or source.suffix), rng)
                )
                written = target.read_bytes()
                try:
                    found[examine(reader, target)] += 1
                    check_memory(held)
                except BaseException as error:
                    kept = (
                        Path(tempfile.gettempdir())
                        / f"fuzz-{title}-{seed}-{number}{source.suffix}"
                    )
                    kept.write_bytes(written)
                    raise AssertionError(
                        f"{title}, number {number} of seed {seed}, kept as {kept}: {error!r}"
                    ) from error
            results[title] = found
    return results


if __name__ == "__main__":
    torch.set_num_threads(1)
    warnings.simplefilter("error")
    begun = time.process_time()
    answer = fuzz(
        int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0, sys.argv[3:]
    )
    sys.stdout.write(
        json.dumps(answer | {"processor seconds": round(time.process_time() - begun)})
        + "\n"
    )
