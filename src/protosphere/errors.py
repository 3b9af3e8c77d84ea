"""Exceptions of this library, and functions that check arguments.

The error message of a check names the argument, the value that was given, and values that are valid.
"""

import operator
from collections.abc import Iterable
from contextlib import suppress
from sys import float_info
from typing import SupportsIndex


class ProtosphereError(Exception):
    """Base class of all errors that this library raises.

    Control characters in the messages are replaced by escape sequences.

    Example:
        >>> import protosphere as ps
        >>> try:
        ...     ps.construct("simplex", num_classes=10, dim=5)
        ... except ps.ProtosphereError as error:
        ...     type(error).__name__
        'InfeasibleError'
    """

    def __init__(self, sentence: str = "", **details: str) -> None:
        super().__init__(printable(sentence), **details)


class InvalidArgumentError(ProtosphereError, ValueError):
    """Error for an argument that is never valid, such as a negative dimension or a misspelled option.

    Example:
        >>> import protosphere as ps
        >>> ps.construct("simplex", num_classes=10, dim=-1)
        Traceback (most recent call last):
            ...
        protosphere.errors.InvalidArgumentError: 'dim' must be an integer of at least 1, got -1
    """


class InfeasibleError(ProtosphereError, ValueError):
    """Error for a request that a construction cannot satisfy, although each argument is valid.

    The message gives the reason. If a similar request is known to be possible, the message names it.

    Example:
        >>> import protosphere as ps
        >>> ps.construct("bch", num_classes=100, dim=64)
        Traceback (most recent call last):
            ...
        protosphere.errors.InfeasibleError: ...
    """


class CertificateError(ProtosphereError):
    """Error for points that contradict what is proved or stated about them.

    No two points may be equal. The measured maximum cosine must not be above the guarantee, which is a proved upper
    bound for these points. It must not be below the converse, which is a proved lower bound on the maximum cosine of
    any K points in R^n. For some codes, it must also be one of a few values that follow from the structure of the code.

    Example:
        >>> import protosphere as ps
        >>> issubclass(ps.CertificateError, ps.ProtosphereError)
        True
    """


class TrainingError(ProtosphereError):
    """Error for a training run that cannot continue, for example because its loss is not finite.

    Example:
        >>> from protosphere.errors import ProtosphereError, TrainingError
        >>> issubclass(TrainingError, ProtosphereError)
        True
    """


class ManyClassesWarning(UserWarning):
    """Warning that a head has many classes for its dimension, so that training may fail.

    A head gives this warning only if its prototypes are assigned to classes without regard to the similarity of the
    classes.

    Example:
        >>> from protosphere.errors import ManyClassesWarning
        >>> issubclass(ManyClassesWarning, UserWarning)
        True
    """


class StorageError(ProtosphereError, OSError):
    """Error for a file that cannot be read or written, or whose content has an unexpected format.

    Example:
        >>> import protosphere as ps
        >>> ps.load("no-such-file.safetensors")
        Traceback (most recent call last):
            ...
        protosphere.errors.StorageError: ...
    """


def printable(text: str) -> str:
    r"""Return `text` with every character that is not printable replaced by its escape sequence.

    >>> printable("a" + chr(27) + "[2J")
    'a\\x1b[2J'
    """
    return "".join(
        letter if letter.isprintable() else repr(letter)[1:-1] for letter in text
    )


def as_integer(name: str, value: object, *, minimum: int) -> int:
    """Return `value` as an int if it is an integer. Booleans and floats are refused.

    Args:
        name: Name of the argument, for the error message.
        value: Value to check.
        minimum: Smallest allowed value.

    Raises:
        InvalidArgumentError: If `value` is not an integer of at least `minimum`.
    """
    if isinstance(value, SupportsIndex) and not isinstance(value, bool):
        with suppress(TypeError):  # an array of numbers has the method, and refuses
            number = operator.index(value)
            if number >= minimum:
                return number
    raise InvalidArgumentError(
        f"'{name}' must be an integer of at least {minimum}, got {brief(value)}"
    )


def as_positive(name: str, value: object) -> float:
    """Return `value` as a float if it is a finite number above 0. Booleans are refused.

    Args:
        name: Name of the argument, for the error message.
        value: Value to check.

    Raises:
        InvalidArgumentError: If `value` is not an int or float above 0, or is infinite.
    """
    if (
        isinstance(value, (int, float))
        and not isinstance(value, bool)
        and 0 < value <= float_info.max
    ):
        return float(value)
    raise InvalidArgumentError(
        f"'{name}' must be a finite number above 0, got {brief(value)}"
    )


def as_share(name: str, value: object) -> float:
    """Return `value` as a float if it is a number from 0 to 1. Booleans are refused.

    Args:
        name: Name of the argument, for the error message.
        value: Value to check.

    Raises:
        InvalidArgumentError: If `value` is not an int or float from 0 to 1.
    """
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        share = float(value)
        if 0 <= share <= 1:
            return share
    raise InvalidArgumentError(
        f"'{name}' must be a number from 0 to 1, got {brief(value)}"
    )


def as_choice(name: str, value: object, choices: Iterable[str]) -> str:
    """Return `value` if it is one of the texts in `choices`.

    Args:
        name: Name of the argument, for the error message.
        value: Value to check.
        choices: Allowed values.

    Raises:
        InvalidArgumentError: If `value` is not one of the choices.
    """
    options = tuple(choices)
    if isinstance(value, str) and value in options:
        return value
    raise InvalidArgumentError(
        f"'{name}' must be one of {', '.join(options)}, got {brief(value)}"
    )


def as_text(name: str, value: object) -> str:
    """Return `value` if it is a string.

    Args:
        name: Name of the argument, for the error message.
        value: Value to check.

    Raises:
        InvalidArgumentError: If `value` is not a string.
    """
    if isinstance(value, str):
        return value
    raise InvalidArgumentError(f"'{name}' must be a text, got {brief(value)}")


def as_flag(name: str, value: object) -> bool:
    """Return `value` if it is a boolean.

    Args:
        name: Name of the argument, for the error message.
        value: Value to check.

    Raises:
        InvalidArgumentError: If `value` is not a boolean.
    """
    if isinstance(value, bool):
        return value
    raise InvalidArgumentError(f"'{name}' must be True or False, got {brief(value)}")


def brief(value: object) -> str:
    """Return `value` as a short text for an error message.

    - An integer of at least 10^18 in absolute value becomes a power of two: "2**64" if it is exactly this power,
      otherwise "about 2**64" with the largest power that is not above its absolute value.
    - Any other value becomes the text `repr(value)`. If this text has more than 60 characters, it is truncated.
    """
    if isinstance(value, int) and abs(value) >= 10**18:
        size = abs(value)
        exactly = "" if size & (size - 1) == 0 else "about "
        return f"{exactly}{'-' if value < 0 else ''}2**{size.bit_length() - 1}"
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
