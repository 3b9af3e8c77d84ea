"""Certificates of many small matrices, in every format and number type, against brute force over fractions.

`python -m tests.fuzz.certificates 2000 SEED` tries so many; the answer counts what was refused, measured and exact.
"""

from __future__ import annotations

import json
import sys
import tempfile
import warnings
from fractions import Fraction
from pathlib import Path

import numpy as np
import torch
from tests.spherical.test_exactness import random_rows, require_true

import protosphere as ps
from protosphere.spherical.io import container as storage

TYPES = [
    *(
        torch.float16,
        torch.bfloat16,
        torch.float8_e4m3fn,
        torch.float8_e5m2,
        torch.float32,
        torch.float64,
    ),
    *(torch.int8, torch.int16, torch.int32, torch.int64),
]
ENDINGS = ("tensor", ".pt", ".npy", ".csv", ".txt", ".safetensors", "forged")


def written(
    tensor: torch.Tensor, ending: str, folder: Path, rng: np.random.Generator
) -> object:
    """The rows as something that `ps.certify` reads."""
    path = folder / f"x{ending}"
    if ending == "tensor":
        return tensor
    if ending == ".pt":
        torch.save(tensor, path)
    elif ending == ".npy":
        narrow = tensor.dtype in (
            torch.bfloat16,
            torch.float8_e4m3fn,
            torch.float8_e5m2,
        )
        np.save(path, (tensor.double() if narrow else tensor).numpy())
    elif ending in (".csv", ".txt"):
        np.savetxt(
            path,
            tensor.double().numpy(),
            fmt="%.17g",
            delimiter="," if ending == ".csv" else " ",
        )
    else:
        path = folder / "x.safetensors"
        ps.from_points(tensor, normalize=True).save(path)
        if ending == "forged":
            forge(path, rng)
    return path


def forge(path: Path, rng: np.random.Generator) -> None:
    """Claims beside the points that are nearly, or not at all, true of them; the digest is honest."""
    arrays, header = storage.read(path)
    found = Fraction(ps.load(path).max_cosine).limit_denominator(
        int(rng.choice([4, 1000, 10**8]))
    )
    if rng.random() < 0.7:
        header["certificate"]["guarantee"] = str(found)
    if rng.random() < 0.7:
        header["certificate"]["max_cosine"] = str(found)
    if rng.random() < 0.5 and "points" in arrays:
        header["cosine_step"] = str(
            rng.choice(["1/2", "1", "2/3", "1/100", "1/1000000"])
        )
    if rng.random() < 0.3:
        count = header["certificate"]["num_classes"]
        dim = header["certificate"]["dim"]
        scheme = str(rng.choice(["simplex", "cross_polytope", "uniform", "e8_shell"]))
        request = {
            "construction": scheme,
            "num_classes": count,
            "dim": dim,
            "options": {},
            "seed": 0,
        }
        header["provenance"] = request | {"mapping": "fixed", "version": "0.1.0"}
    storage.write(path, arrays, header)


def attempt(rng: np.random.Generator, folder: Path) -> str:
    """'refused', 'exact' or 'measured', and true of the numbers that were given."""
    tensor = torch.from_numpy(random_rows(rng)).to(TYPES[rng.integers(len(TYPES))])
    rows = tensor.double().numpy()
    try:
        source = written(tensor, ENDINGS[rng.integers(len(ENDINGS))], folder, rng)
        found = ps.certify(source, normalize=True)
    except ps.ProtosphereError as error:
        if not str(error).isprintable():
            raise AssertionError(f"a sentence that is none: {error!r}") from error
        return "refused"
    require_true(found, rows)
    return "exact" if found.exact else "measured"


def fuzz(count: int, seed: int = 0) -> dict[str, int]:
    """How many of `count` matrices were refused, measured, and certified exactly."""
    rng = np.random.default_rng(seed)
    results = {"refused": 0, "measured": 0, "exact": 0}
    with tempfile.TemporaryDirectory() as name:
        for number in range(count):
            try:
                results[attempt(rng, Path(name))] += 1
            except BaseException as error:
                raise AssertionError(
                    f"number {number} of seed {seed}: {error!r}"
                ) from error
    return results


if __name__ == "__main__":
    torch.set_num_threads(1)
    warnings.simplefilter("error")
    answer = fuzz(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    sys.stdout.write(json.dumps(answer) + "\n")
