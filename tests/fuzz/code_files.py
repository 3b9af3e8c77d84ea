"""Files of codes and points, changed at random: `python -m tests.fuzz.code_files 10000 [SEED]`.

Each is loaded, certified and compared with all pairs of its points. Allowed is an error of ours in one printable
sentence, or the truth; not allowed are other exceptions, a crash, more than ten seconds or a gigabyte, and a
certificate below what the points are.
"""

from __future__ import annotations

import json
import random
import signal
import sys
import tempfile
import warnings
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

import numpy as np
import torch
from tests.fuzz.mutations import MOST_ENTRIES, mutate

import protosphere as ps
from protosphere.coding.shortened_cosets import ShortenedCosets
from protosphere.geometry.gram import max_cosine
from protosphere.spherical.cosines import cosine_counts
from protosphere.spherical.part_names import PartNames
from protosphere.spherical.structures import (
    GluedWords,
    OrthogonalSimplices,
    Plain,
    ProductPoints,
    ShortenedWords,
    lattice,
    shortened,
)

SECONDS = 10


def seeds(folder: Path) -> list[Path]:
    """A small file of every structure and format."""
    rng = np.random.default_rng(0)
    chain = ShortenedWords.of(ShortenedCosets(4, 1, 1), 60)
    codes = {
        "plain": ps.construct("uniform", num_classes=9, dim=4),
        "grid": ps.construct("simplex", num_classes=7, dim=6),
        "signs": ps.from_points(rng.choice([-1.0, 1.0], (9, 13)) / np.sqrt(13)),
        "linear": ps.construct("bch", num_classes=20, dim=15, mapping="random"),
        "cosets": ps.construct("kerdock", num_classes=80, dim=16, mapping="random"),
        "shortened": ps.construct(
            "shortened_cosets", num_classes=60, dim=15, mapping="random"
        ),
        "lattice": ps.construct("e8_shell", num_classes=60, dim=8),
        "shells": ps.construct("lattice_shell", num_classes=60, dim=10),
        "best": ps.best(num_classes=12, dim=5, iterations=20),
        "graph": ps.construct("strongly_regular", num_classes=27, dim=6),
        "design": ps.construct("designs", num_classes=26, dim=13),
        "embeddings": ps.from_embeddings(rng.standard_normal((9, 12)), dim=5),
        "compressed": ps.from_embeddings(rng.standard_normal((30, 8)), dim=8, parts=2),
    }
    glue_vectors = ps.construct("simplex", num_classes=4, dim=3).points
    for name, points in {
        "glued": GluedWords(chain, 0.8, glue_vectors, 16),
        "zeros": GluedWords(
            codes["linear"].placement.structure, 1.0, np.zeros((1, 3)), 1 << 62
        ),
        "simplices": OrthogonalSimplices(
            np.array([4, 3]), np.array([0, 1, 2, 4, 6]), 6
        ),
        "product": _product(None),
        "combinations": _product(np.array([[0, 0], [3, 1], [1, 2]], dtype=np.uint8)),
        "close": Plain(
            np.array([[1.0, 0.0], [np.cos(1e-6), np.sin(1e-6)], [0.0, 1.0]])
        ),
    }.items():
        placement = ps.Placement(name, points)
        found = points.largest_cosine(lambda *_: None)
        bound = ps.bounds.converse(num_classes=points.count, dim=points.dim)
        proof = ps.Certificate(
            points.count, points.dim, found[0], None, bound, found[1]
        )
        codes[name] = ps.SphericalCode(placement, proof, None)
    for name, code in codes.items():
        code.save(folder / f"{name}.safetensors")
    for ending in ("npy", "csv", "pt"):
        codes["linear"].save(folder / f"points.{ending}")
    return sorted(folder.iterdir())


def _product(values):
    """Classes of two parts, all combinations of values or some of them."""
    parts = (
        OrthogonalSimplices(np.array([4]), np.arange(4), 3),
        Plain(np.vstack([np.eye(2), -np.eye(2)])),
    )
    names = PartNames(("a", "b"), (tuple("wxyz"), tuple("pqr")))
    shares = (Fraction(1, 3), Fraction(2, 3))
    return ProductPoints(parts, (4, 3), shares, values, 6, names=names)


class LateError(BaseException):
    """More than the seconds allowed; no reader's `except Exception` makes a sentence of it."""


@contextmanager
def at_most(seconds: int):
    """LateError after so many seconds of the processor, or six times as many by the clock, where there are alarms."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def late(*_):
        raise LateError(f"took more than {seconds} s")

    alarms = {
        signal.SIGPROF: (signal.ITIMER_PROF, seconds),
        signal.SIGALRM: (signal.ITIMER_REAL, 6 * seconds),
    }
    before = {number: signal.signal(number, late) for number in alarms}
    for timer, most in alarms.values():
        signal.setitimer(timer, most)
    try:
        yield
    finally:
        for number, (timer, _) in alarms.items():
            signal.setitimer(timer, 0)
            signal.signal(number, before[number])


def examine(path: Path) -> str:
    """'refused', or 'certified' and true; AssertionError, or whatever was raised, for anything else."""
    try:
        with at_most(SECONDS):
            code = ps.load(path)
            found = ps.certify(code)
            cosine_counts(code) if code.num_classes * code.dim <= MOST_ENTRIES else None
            repr(code), code.explain()
    except ps.ProtosphereError as error:
        if not str(error).isprintable():
            raise AssertionError(f"a sentence that is none: {error!r}") from error
        return "refused"
    assert not found.unverified
    if code.num_classes * code.dim > MOST_ENTRIES:
        return "certified"
    points = code.points
    norms = np.linalg.norm(points, axis=1, keepdims=True)
    assert np.abs(norms - 1).max() < 1e-12, "rows that are not unit vectors"
    true = max_cosine(points / norms)
    assert float(found.max_cosine) >= true - 1e-12, (
        f"certified {found.max_cosine}, true is {true}"
    )
    assert not found.exact or abs(float(found.max_cosine) - true) < 1e-12, (
        f"exactly {found.max_cosine}, true is {true}"
    )
    assert not found.optimal or true - float(found.converse) <= 1e-11 * (
        1 - float(found.converse)
    ), "not optimal"
    return "certified"


def fuzz(count: int, seed: int = 0) -> dict[str, int]:
    """How many of `count` files were refused, and how many certified."""
    rng = random.Random(seed)
    results = {"refused": 0, "certified": 0}
    held = peak_memory()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "seeds").mkdir()
        sources = seeds(folder / "seeds")
        few = lattice.ALL_PAIRS_POINTS
        for number in range(count):
            source = rng.choice(sources)
            target = folder / f"x{source.suffix}"
            mutate(source, target, rng)
            lattice.ALL_PAIRS_POINTS = shortened.ALL_PAIRS_POINTS = (
                few if number % 2 else 10
            )
            try:
                results[examine(target)] += 1
                check_memory(held)
            except BaseException as error:
                kept = (
                    Path(tempfile.gettempdir()) / f"fuzz-{seed}-{number}{source.suffix}"
                )
                kept.write_bytes(target.read_bytes())
                raise AssertionError(
                    f"{source.name}, number {number} of seed {seed}, kept as {kept}: {error!r}"
                ) from error
            finally:
                lattice.ALL_PAIRS_POINTS = shortened.ALL_PAIRS_POINTS = few
    return results


def check_memory(held: int) -> None:
    """AssertionError where this process has held a gigabyte more than that."""
    assert peak_memory() - held < 1 << 30, "more than a gigabyte"


def peak_memory() -> int:
    """The most bytes this process has held, where the system tells."""
    try:
        import resource
    except ImportError:
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << (
        0 if sys.platform == "darwin" else 10
    )


if __name__ == "__main__":
    torch.set_num_threads(1)
    warnings.simplefilter("error")
    answer = fuzz(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    sys.stdout.write(json.dumps(answer) + "\n")
