"""What can go wrong, and the one sentence that says so: the argument, what was got, what would work."""

import operator
from collections.abc import Iterable
from contextlib import suppress
from sys import float_info
from typing import SupportsIndex


class ProtosphereError(Exception):
    """Base of every error this library raises on purpose; what a file says in it never reaches a terminal unescaped."""

    def __init__(self, sentence: str = "", **details: str) -> None:
        super().__init__(printable(sentence), **details)


class InvalidArgumentError(ProtosphereError, ValueError):
    """An argument no construction could accept: a negative dimension, an unknown scheme, a misspelt option."""


class InfeasibleError(ProtosphereError, ValueError):
    """A sound request that this construction cannot serve; the message names what would work."""


class CertificateError(ProtosphereError):
    """Theory and numbers disagree: a measured cosine above its guarantee, below its converse, or off its grid."""


class TrainingError(ProtosphereError):
    """A run that cannot go on: its loss is not finite."""


class ManyClassesWarning(UserWarning):
    """A head whose classes are so many for its dimension that unrelated prototypes may be out of a network's reach."""


class StorageError(ProtosphereError, OSError):
    """A file that cannot be read as what it claims to be."""


def printable(text: str) -> str:
    r"""`text` with every character that a terminal might obey written as its escape.

    >>> printable("a" + chr(27) + "[2J")
    'a\\x1b[2J'
    """
    return "".join(
        letter if letter.isprintable() else repr(letter)[1:-1] for letter in text
    )


def as_integer(name: str, value: object, *, minimum: int) -> int:
    """`value` as a plain int of at least `minimum`; booleans and floats are refused."""
    if isinstance(value, SupportsIndex) and not isinstance(value, bool):
        with suppress(TypeError):  # an array of numbers has the method, and refuses
            number = operator.index(value)
            if number >= minimum:
                return number
    raise InvalidArgumentError(
        f"'{name}' must be an integer of at least {minimum}, got {brief(value)}"
    )


def as_positive(name: str, value: object) -> float:
    """`value` as a finite float above zero."""
    if (
        isinstance(value, (int, float))
        and not isinstance(value, bool)
        and 0 < value <= float_info.max
    ):
        return float(value)
    raise InvalidArgumentError(
        f"'{name}' must be a finite number above 0, got {brief(value)}"
    )


def as_choice(name: str, value: object, choices: Iterable[str]) -> str:
    """`value` if it is one of `choices`."""
    options = tuple(choices)
    if isinstance(value, str) and value in options:
        return value
    raise InvalidArgumentError(
        f"'{name}' must be one of {', '.join(options)}, got {brief(value)}"
    )


def as_text(name: str, value: object) -> str:
    """`value` if it is a text."""
    if isinstance(value, str):
        return value
    raise InvalidArgumentError(f"'{name}' must be a text, got {brief(value)}")


def as_flag(name: str, value: object) -> bool:
    """`value` if it is a boolean."""
    if isinstance(value, bool):
        return value
    raise InvalidArgumentError(f"'{name}' must be True or False, got {brief(value)}")


def brief(value: object) -> str:
    """A short form of `value` for a message: huge integers by their size, long texts cut."""
    if isinstance(value, int) and abs(value) >= 10**18:
        size = abs(value)
        exactly = "" if size & (size - 1) == 0 else "about "
        return f"{exactly}{'-' if value < 0 else ''}2**{size.bit_length() - 1}"
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
