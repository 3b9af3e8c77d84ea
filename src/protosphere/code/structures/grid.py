"""Exact fractions: cosines on a grid 1 - j * step, and fractions as text."""

from __future__ import annotations

import re
from fractions import Fraction

from protosphere.errors import CertificateError, InvalidArgumentError, brief

TOLERANCE = 1e-9
"""How far floats may stray before theory and numbers are said to disagree."""


def on_grid(measured: float, step: Fraction) -> Fraction:
    """The fraction 1 - j * step (j an integer) that `measured` is, up to rounding.

    Points whose cosines all lie on such a grid are certified exactly: +-1/sqrt(n) words have step 2/n, a simplex of K
    points K/(K-1). CertificateError where the measured value is off the grid.
    """
    multiple = round((1 - measured) / float(step))
    exact = 1 - multiple * step
    if abs(float(exact) - measured) > TOLERANCE:
        raise CertificateError(f"measured max cosine {measured!r} is not of the form 1 - j * {step}")
    return exact


def fraction_words(value: Fraction | None) -> str | None:
    """A fraction as a file has it."""
    return None if value is None else str(value)


def read_fraction(name: str, text: object) -> Fraction | None:
    """What `fraction_words` wrote; short decimal texts only, so that none takes long to read."""
    if text is None:
        return None
    if not isinstance(text, str) or not re.fullmatch(r"-?\d{1,18}(/[1-9]\d{0,17})?", text, re.ASCII):
        raise InvalidArgumentError(f"'{name}' should be a fraction such as '2/63', is {brief(text)}")
    return Fraction(text)
