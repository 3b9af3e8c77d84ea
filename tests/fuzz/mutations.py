"""Changes to files of codes: bytes, entries of the description, arrays; the digest is made anew."""

from __future__ import annotations

import copy
import random
import warnings
from contextlib import suppress
from pathlib import Path

import numpy as np

import protosphere as ps
from protosphere.geometry.gram import max_cosine
from protosphere.spherical.io import code_file as file
from protosphere.spherical.io import container as storage

MOST_ENTRIES = 1 << 22
"""Larger points are not compared: they come from a size in a header, and nobody has asked for them."""

NUMBERS = [0, 1, -1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 63, 64, 65, 127, 1000, 1 << 16, 1 << 31, 1 << 62,
           1 << 64, 10**400, -(1 << 63), 0.5, -0.5, 1e-9, 1 - 1e-9, 1e300, 1e400, float("nan"), -1e400, True,
           None]  # fmt: skip
TEXTS = ["", "1", "0", "-1", "1/2", "1/3", "2/16", "1/1048576", "1/1048577", "1/0", "1e9", "-1e-99999999", "9" * 500,
         "plain", "signs", "linear", "cosets", "shortened", "glued", "lattice", "simplices", "bch", "best", "fixed",
         "nested from 3", "\x1b[2J", "\n", "\u202e", "a" * 20_000, "[bold]", "nan"]  # fmt: skip
HOSTILE = [*NUMBERS, *TEXTS, [], {}, [0], {"a": 1}, [[[[1]]]], [1, 2, 3, 4]]


def mutate(source: Path, target: Path, rng: random.Random) -> None:
    """Write `source`, changed, to `target`."""
    if source.suffix != ".safetensors" or rng.random() < 0.1:
        target.write_bytes(changed_bytes(source.read_bytes(), rng))
        return
    arrays, header = storage.read(source)
    arrays = {name: array.copy() for name, array in arrays.items()}
    for _ in range(rng.randint(1, 3)):
        with (
            suppress(ValueError, TypeError, IndexError, OverflowError),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore")
            (change_header if rng.random() < 0.5 else change_arrays)(
                arrays, header, rng
            )
    try:
        storage.write(target, arrays, header)
        if rng.random() < 0.5:
            claim_the_truth(target)
    except (
        ps.StorageError,
        TypeError,
        ValueError,
    ):  # what the writer cannot hold no file holds
        target.write_bytes(changed_bytes(source.read_bytes(), rng))


def changed_bytes(content: bytes, rng: random.Random) -> bytes:
    """A few bytes other ones, gone, or there twice."""
    raw = bytearray(content)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(raw) + 1)
        kind = rng.random()
        if kind < 0.5 and at < len(raw):
            raw[at] = rng.randrange(256)
        elif kind < 0.7:
            del raw[at : at + rng.randint(1, 64)]
        elif kind < 0.9:
            raw[at:at] = bytes(rng.randrange(256) for _ in range(rng.randint(1, 16)))
        else:
            raw = raw[:at]
        raw = raw or bytearray(b"0")
    return bytes(raw)


def change_header(arrays, header, rng: random.Random) -> None:
    """One entry of the description, however deep, another value, gone, or new; sizes at times with the arrays'."""
    holder = header
    while True:
        inner = [
            value
            for value in (holder.values() if isinstance(holder, dict) else holder)
            if isinstance(value, dict | list) and value
        ]
        if not inner or rng.random() < 0.3:
            break
        holder = rng.choice(inner)
    keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
    if not keys:
        return
    key = rng.choice(keys)
    kind = rng.random()
    if kind < 0.15:
        del holder[key]
    elif kind < 0.25 and isinstance(holder, dict):
        holder[
            rng.choice(
                [
                    "structure",
                    "codewords",
                    "glue",
                    "lattice",
                    "shortened",
                    "cosine_step",
                    "choice",
                    "extra",
                ]
            )
        ] = rng.choice(HOSTILE)
    elif isinstance(holder[key], int | float) and kind < 0.6:
        holder[key] += rng.choice([-1, 1, 2, -2, 0.5, 1e-7, -1e-7, 8, 1 << 20])
    else:
        holder[key] = copy.deepcopy(rng.choice(HOSTILE))


def change_arrays(arrays, header, rng: random.Random) -> None:
    """One array: entries, type, shape, or another's place."""
    name = rng.choice(list(arrays))
    array = arrays[name]
    kind = rng.randrange(9)
    if kind == 0:
        del arrays[name]
    elif kind == 1:
        arrays[
            rng.choice(
                [
                    "points",
                    "signs",
                    "generator",
                    "messages",
                    "numbers",
                    "glue_vectors",
                    "basis",
                    "representatives",
                    "sizes",
                ]
            )
        ] = array
    elif kind == 2:
        arrays[name] = array.astype(
            rng.choice(
                ["float64", "float32", "int64", "uint8", "int8", "float16", "bool"]
            )
        )
    elif kind == 3:
        arrays[name] = rng.choice([array[:-1], array[1:], array[:0], array[..., :-1], array[None], array.T,
                                   array.ravel(), np.concatenate([array, array]), array[::-1]])  # fmt: skip
    elif kind == 4:
        count = len(array)
        arrays[name] = array[[rng.randrange(count) for _ in range(count)]]
    elif kind == 5:
        arrays[name] = (
            array * rng.choice([1000, -1, 2, 1 + 9e-6, 1 - 9e-6, 1 - 9e-13, 0])
        ).astype(array.dtype)
    else:
        flat = array.reshape(-1)
        for _ in range(rng.randint(1, 3)):
            at = rng.randrange(flat.size)
            flat[at] = rng.choice(
                [
                    0,
                    1,
                    -1,
                    255,
                    128,
                    1 << 40,
                    -(1 << 62),
                    np.nan,
                    np.inf,
                    1e-10,
                    0.6,
                    flat[at] + 1,
                    flat[at] * (1 + 1e-8),
                ]
            )
        arrays[name] = flat.reshape(array.shape)


def claim_the_truth(path: Path) -> None:
    """Make the file's largest cosine that of its points: what else it says is then all that could be wrong."""
    with suppress(
        ps.ProtosphereError,
        ValueError,
        KeyError,
        TypeError,
        ArithmeticError,
        AttributeError,
        MemoryError,
    ):
        arrays, header = storage.read(path)
        placement = file.parts(arrays, header, complete=True)[0]
        if placement.count * placement.dim < MOST_ENTRIES:
            true = max_cosine(placement.unit_rows(0, placement.count))
            header["certificate"] |= {"max_cosine": min(true, 1.0), "guarantee": None}
            storage.write(path, arrays, header)
