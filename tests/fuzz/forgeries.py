"""Code files that state something false, with a digest that is right: what a verifier must reject."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from protosphere.spherical.io import container

Content = tuple[dict[str, np.ndarray], dict[str, Any]]
Forgery = Callable[[Content, np.random.Generator], Content | None]

MOVED = 1e-9
"""How far a coordinate is moved."""


def flipped_sign(content: Content, rng: np.random.Generator) -> Content | None:
    """One word of a closest pair agrees with the other in one more sign."""
    arrays, description = content
    if "signs" not in arrays or description["structure"] == "product":
        return None
    bits = np.unpackbits(arrays["signs"], axis=1).astype(np.int64)
    distances = bits @ (1 - bits.T) + (1 - bits) @ bits.T
    np.fill_diagonal(distances, bits.shape[1] + 1)
    closest = np.argwhere(distances == distances.min())
    first, second = closest[rng.integers(len(closest))]
    places = np.flatnonzero(bits[first] != bits[second])
    bits[first, rng.choice(places)] ^= 1
    arrays["signs"] = np.packbits(bits.astype(np.uint8), axis=1)
    return arrays, description


def moved_coordinate(content: Content, rng: np.random.Generator) -> Content | None:
    """A coordinate of a closest pair is moved so that the two come closer, or a norm is not 1."""
    arrays, description = content
    points = arrays.get("points")
    if points is None:
        return None
    cosines = points @ points.T
    np.fill_diagonal(cosines, -2)
    closest = np.argwhere(cosines > cosines.max() - 1e-12)
    first, second = closest[rng.integers(len(closest))]
    large = np.flatnonzero(abs(points[second]) > 0.05)
    place = rng.choice(large)
    points[first, place] += MOVED * np.sign(points[second, place])
    return arrays, description


def stated_cosine(content: Content, rng: np.random.Generator) -> Content:
    """The maximum cosine is another."""
    arrays, description = content
    certificate = description["certificate"]
    shift = rng.choice([-1, 1]) * 10.0 ** -rng.integers(2, 11)
    certificate["max_cosine"] = float(Fraction(certificate["max_cosine"])) + shift
    certificate["guarantee"] = None
    return arrays, description


def stated_converse(content: Content, rng: np.random.Generator) -> Content:
    """The converse is another."""
    arrays, description = content
    certificate = description["certificate"]
    shift = rng.choice([-1, 1]) * 10.0 ** -rng.integers(1, 5)
    certificate["converse"] = float(Fraction(certificate["converse"])) + shift
    return arrays, description


def optimal_converse(content: Content, rng: np.random.Generator) -> Content | None:
    """The converse is the maximum cosine, which makes the points optimal."""
    arrays, description = content
    certificate = description["certificate"]
    gap = Fraction(certificate["max_cosine"]) - Fraction(certificate["converse"])
    certificate["converse"] = certificate["max_cosine"]
    return (arrays, description) if gap > 1e-4 else None


def other_theorem(content: Content, rng: np.random.Generator) -> Content | None:
    """The theorem is of other points, or of none."""
    arrays, description = content
    certificate = description["certificate"]
    names = ("Robinson", "Cohn-de Laat-Leijenhorst", "coxeter_boroczky", "rankin_simplex", "nobody")  # fmt: skip
    if certificate["theorem"] in names:
        return None
    certificate["theorem"] = str(rng.choice(names))
    return arrays, description


def other_counts(content: Content, rng: np.random.Generator) -> Content | None:
    """The number of classes and the dimension are exchanged, or one of them is another."""
    arrays, description = content
    certificate = description["certificate"]
    count, dim = certificate["num_classes"], certificate["dim"]
    if description["structure"] == "simplices" or count == dim:
        return None  # zeros may follow, and the definition holds in any dimension
    certificate["num_classes"], certificate["dim"] = [
        (dim, count),
        (count + 1, dim),
        (count, dim + 8),
    ][rng.integers(3)]
    return arrays, description


def low_guarantee(content: Content, rng: np.random.Generator) -> Content:
    """The guarantee is below the maximum cosine."""
    arrays, description = content
    cosine = float(Fraction(description["certificate"]["max_cosine"]))
    description["certificate"]["guarantee"] = cosine - 10.0 ** -rng.integers(2, 9)
    return arrays, description


FORGERIES: dict[str, Forgery] = {
    forgery.__name__: forgery
    for forgery in (
        flipped_sign,
        moved_coordinate,
        stated_cosine,
        stated_converse,
        optimal_converse,
        other_theorem,
        other_counts,
        low_guarantee,
    )
}


def forged_files(
    sources: list[Path], folder: Path, count: int, seed: int = 0
) -> Iterator[tuple[str, Path]]:
    """Write `count` forged files, each of a random source; give the name of the forgery and the file."""
    rng = np.random.default_rng(seed)
    made = 0
    while made < count:
        name = list(FORGERIES)[made % len(FORGERIES)]
        arrays, description = container.read(sources[rng.integers(len(sources))])
        own = {key: array.copy() for key, array in arrays.items()}
        forged = FORGERIES[name]((own, copy.deepcopy(description)), rng)
        if forged is not None:
            path = folder / f"forged{made}.safetensors"
            container.write(path, *forged)
            made += 1
            yield name, path


def forged_proofs(proof: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Proofs with a cosine that is too large, or with a coefficient that is negative, missing, doubled or halved."""
    coefficients = [Fraction(text) for text in proof["coefficients"]]
    cosine = Fraction(proof["cosine"])
    yield proof | {"cosine": str(cosine + (1 - cosine) / 1000)}
    for k, factor in ((1, -1), (len(coefficients) - 1, 0), (0, 2), (1, 2), (2, Fraction(1, 2))):  # fmt: skip
        changed = list(coefficients)
        changed[k] *= factor
        yield proof | {"coefficients": [str(value) for value in changed]}


def write_json(path: Path, content: dict[str, Any]) -> Path:
    """Write a JSON file."""
    path.write_text(json.dumps(content))
    return path
