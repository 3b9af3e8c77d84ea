"""A certified code as one file: which arrays, and which words describe them."""

from __future__ import annotations

from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from protosphere.bounds import Bound
from protosphere.code import storage
from protosphere.code.certificate import Certificate
from protosphere.code.placement import BinaryLinear, CosetUnion, Placement, ShortenedWords, Tail
from protosphere.code.provenance import Provenance
from protosphere.codes.shortened_cosets import ShortenedCosets
from protosphere.errors import InvalidArgumentError, StorageError
from protosphere.geometry.sphere import require_unit_rows
from protosphere.types import Cosine


def save(path: str | Path, placement: Placement, certificate: Certificate, provenance: Provenance | None) -> None:
    """Write the code to `path`: packed words as `signs`, dense points as `points`, both readable by any safetensors."""
    arrays: dict[str, NDArray[Any]] = {}
    if placement.points is not None:
        arrays["points"] = placement.points
    if placement.signs is not None:
        arrays["signs"] = placement.signs
    if isinstance(placement.structure, BinaryLinear):
        arrays["generator"] = placement.structure.generator
        arrays["messages"] = placement.structure.messages
    elif placement.structure is not None:
        arrays["numbers"] = placement.structure.numbers
    if isinstance(placement.structure, CosetUnion):
        arrays["representatives"] = placement.structure.representatives
    if placement.tail is not None:
        arrays["tails"] = placement.tail.vectors
    description = {
        "recipe": placement.recipe,
        "cosine_step": _text(placement.cosine_step),
        "shortened": asdict(placement.structure.code) if isinstance(placement.structure, ShortenedWords) else None,
        "tail": placement.tail and {"share": placement.tail.share, "group": placement.tail.group},
        "provenance": None if provenance is None else asdict(provenance),
        "certificate": _certificate_words(certificate),
    }
    storage.write(path, arrays, description)


def load(path: str | Path) -> tuple[Placement, Certificate, Provenance | None]:
    """What `save` wrote, checked again for shape and unit norms."""
    arrays, description = storage.read(path)
    try:
        certificate = _certificate(description["certificate"])
        placement = _placement(arrays, description, certificate)
        provenance = description["provenance"] and Provenance(**description["provenance"])
    except (KeyError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
        if isinstance(error, InvalidArgumentError):
            raise StorageError(f"cannot read '{path}': {error}") from error
        raise StorageError(f"cannot read '{path}': its description is incomplete ({error})") from error
    return placement, certificate, provenance


def _placement(arrays: storage.Arrays, description: dict[str, Any], certificate: Certificate) -> Placement:
    K, n = certificate.num_classes, certificate.dim
    points, signs = arrays.get("points"), arrays.get("signs")
    if points is not None:
        _require_shape("points", points, (K, n), np.float64)
        require_unit_rows(points)
    tail = description["tail"] and Tail(vectors=arrays["tails"], **description["tail"])
    length = n - (tail.dim if tail else 0)
    if points is None:
        _require_shape("signs", arrays["signs"], (K, -(-length // 8)), np.uint8)
    step = description["cosine_step"]
    structure = _structure(arrays, description["shortened"], K, length)
    return Placement(n, description["recipe"], points, signs, step and Fraction(step), structure, tail=tail)


def _structure(
    arrays: storage.Arrays, shortened: dict[str, int] | None, num_classes: int, length: int
) -> BinaryLinear | CosetUnion | ShortenedWords | None:
    if "generator" in arrays:
        return BinaryLinear(arrays["generator"], arrays["messages"])
    if "numbers" not in arrays and "representatives" not in arrays and shortened is None:
        return None
    numbers = arrays["numbers"]
    _require_shape("numbers", numbers, (num_classes,), np.int64)
    if shortened is not None:
        return ShortenedWords(ShortenedCosets(**shortened), numbers)
    m, representatives = length.bit_length() - 1, arrays["representatives"]
    if length != 1 << m:
        raise InvalidArgumentError(f"'dim' should be a power of two for cosets of RM(1, m), is {length}")
    _require_shape("representatives", representatives, (-(-num_classes >> (m + 1)), -(-length // 8)), np.uint8)
    return CosetUnion(m, representatives, numbers)


def _require_shape(name: str, array: NDArray[Any], shape: tuple[int, ...], dtype: type) -> None:
    if array.shape != shape or array.dtype != dtype:
        raise InvalidArgumentError(f"'{name}' should be {shape} {dtype.__name__}, is {array.shape} {array.dtype}")


def _certificate_words(certificate: Certificate) -> dict[str, Any]:
    return {
        "num_classes": certificate.num_classes,
        "dim": certificate.dim,
        "max_cosine": _text(certificate.max_cosine),
        "guarantee": _text(certificate.guarantee),
        "converse": _text(certificate.converse.value),
        "theorem": certificate.converse.theorem,
        "method": certificate.method,
    }


def _certificate(words: dict[str, Any]) -> Certificate:
    bound = Bound(_cosine(words["converse"]), words["theorem"])
    guarantee = None if words["guarantee"] is None else _cosine(words["guarantee"])
    return Certificate(
        words["num_classes"], words["dim"], _cosine(words["max_cosine"]), guarantee, bound, words["method"]
    )


def _text(value: Cosine | None) -> str | float | None:
    """JSON for a cosine: exact ones as text, floats as numbers."""
    return str(value) if isinstance(value, Fraction) else value


def _cosine(text: str | float) -> Cosine:
    value = Fraction(text) if isinstance(text, str) else float(text)
    if not -1.0 <= float(value) <= 2.0:
        raise InvalidArgumentError(f"a cosine should be a number from -1 on, is {text}")
    return value
