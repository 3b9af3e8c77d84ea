"""Exact fractions: cosines on a grid 1 - j * step, and fractions as text."""

import re
from fractions import Fraction

from protosphere.errors import CertificateError, InvalidArgumentError, brief
from protosphere.types import Cosine

FINEST_STEP = 1 << 20
"""The largest denominator of a step: grids stay far coarser than rounding."""


def on_grid(measured: float, step: Fraction, rounding: float) -> Fraction:
    """The fraction 1 - j * step (j an integer) that `measured` is, up to rounding.

    Points whose cosines all lie on such a grid are certified exactly: +-1/sqrt(n) words have step 2/n, a simplex of K
    points K/(K-1). CertificateError where the measured value is off the grid.
    """
    exact = 1 - round((1 - measured) / float(step)) * step
    if abs(float(exact) - measured) > rounding:
        raise CertificateError(f"measured max cosine {measured!r} is not of the form 1 - j * {step}")
    return exact


def fraction_words(value: Cosine | None) -> str | float | None:
    """A fraction as a file has it, as text; a float is a number there."""
    return str(value) if isinstance(value, Fraction) else value


def read_fraction(name: str, text: object) -> Fraction | None:
    """What `fraction_words` wrote; short decimal texts only, so that none takes long to read."""
    if text is None:
        return None
    if not isinstance(text, str) or not re.fullmatch(r"-?\d{1,18}(/[1-9]\d{0,17})?", text, re.ASCII):
        raise InvalidArgumentError(f"'{name}' should be a fraction such as '2/63', is {brief(text)}")
    return Fraction(text)


def read_step(text: object) -> Fraction | None:
    """A step as `fraction_words` wrote it: at most 2, and not too fine to tell from rounding."""
    step = read_fraction("cosine_step", text)
    if step is not None and not (0 < step <= 2 and step.denominator <= FINEST_STEP):
        raise InvalidArgumentError(f"'cosine_step' should be above 0, at most 2 and no finer than 2^-20, is {step}")
    return step
