"""A certified code as one file: the arrays of its structure, and the words that describe them."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from protosphere.bounds import Bound
from protosphere.code import storage
from protosphere.code.certificate import Certificate
from protosphere.code.choice import Choice, Considered
from protosphere.code.placement import Placement
from protosphere.code.provenance import Provenance
from protosphere.code.structures import read_structure
from protosphere.code.structures.content import Content
from protosphere.errors import InvalidArgumentError, StorageError, as_integer
from protosphere.types import Cosine

Parts = tuple[Placement, Certificate, Provenance | None, Choice | None]


def save(
    path: str | Path,
    placement: Placement,
    certificate: Certificate,
    provenance: Provenance | None,
    choice: Choice | None,
) -> None:
    """Write the code to `path`: packed words as `signs`, dense points as `points`, both readable by any safetensors."""
    storage.write(path, placement.structure.arrays(), described(placement, certificate, provenance, choice))


def described(
    placement: Placement, certificate: Certificate, provenance: Provenance | None, choice: Choice | None
) -> dict[str, Any]:
    """All that is said of the arrays of a code, as JSON."""
    return placement.structure.words() | {
        "structure": placement.structure.name,
        "recipe": placement.recipe,
        "provenance": None if provenance is None else provenance.words(),
        "certificate": _certificate_words(certificate),
        "choice": None if choice is None else _choice_words(choice),
    }


def load(path: str | Path) -> Parts:
    """What `save` wrote, checked again for shape and unit norms."""
    arrays, description = storage.read(path)
    try:
        found = parts(arrays, description)
        if missing := found[0].structure.arrays().keys() - arrays.keys():
            raise InvalidArgumentError(f"'{min(missing)}' is missing")
        return found
    except (KeyError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
        if isinstance(error, InvalidArgumentError):
            raise StorageError(f"cannot read '{path}': {error}") from error
        raise StorageError(f"cannot read '{path}': its description is incomplete ({error})") from error


def parts(arrays: storage.Arrays, description: dict[str, Any]) -> Parts:
    """A code of its arrays and what is said of them; InvalidArgumentError, or what Python raises, for any others."""
    certificate = _certificate(description["certificate"])
    words = description if "structure" in description else _named(arrays, description)
    content = Content(arrays, words, certificate.num_classes, certificate.dim)
    placement = Placement(description["recipe"], read_structure(words["structure"], content))
    provenance = description["provenance"] and Provenance(**description["provenance"])
    choice = description.get("choice")
    return placement, certificate, provenance, choice and _choice(choice)


def _named(arrays: storage.Arrays, description: Mapping[str, Any]) -> dict[str, Any]:
    """The description of a file from before structures had names, with the name that follows from what is in it."""
    if "points" in arrays:
        name = "plain"
    elif "generator" in arrays:
        name = "linear"
    elif description.get("shortened"):
        name = "shortened"
    else:
        name = "cosets" if "representatives" in arrays else "signs"
    tailed = {"structure": "tailed", "head": name} if description.get("tail") else {"structure": name}
    return {**description, **tailed}


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
    count, dim = as_integer("num_classes", words["num_classes"], minimum=2), as_integer("dim", words["dim"], minimum=1)
    return Certificate(count, dim, _cosine(words["max_cosine"]), guarantee, bound, words["method"])


def _choice_words(choice: Choice) -> dict[str, Any]:
    considered = [[c.scheme, c.recipe, _text(c.promise), _text(c.measured)] for c in choice.considered]
    return {"reason": choice.reason, "considered": considered}


def _choice(words: dict[str, Any]) -> Choice:
    rows = [
        (scheme, recipe, *(None if c is None else _cosine(c) for c in both))
        for scheme, recipe, *both in words["considered"]
    ]
    return Choice(words["reason"], tuple(Considered(*row) for row in rows))


def _text(value: Cosine | None) -> str | float | None:
    """JSON for a cosine: exact ones as text, floats as numbers."""
    return str(value) if isinstance(value, Fraction) else value


def _cosine(text: str | float) -> Cosine:
    value = Fraction(text) if isinstance(text, str) else float(text)
    if not -1.0 <= float(value) <= 2.0:
        raise InvalidArgumentError(f"a cosine should be a number from -1 on, is {text}")
    return value
