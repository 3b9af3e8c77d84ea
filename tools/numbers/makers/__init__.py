"""All makers, by name: one file a subject, and a line here."""

from __future__ import annotations

from protosphere.errors import InvalidArgumentError
from tools.numbers.maker import Maker
from tools.numbers.makers import (
    benchmarks,
    codes,
    digits,
    glyphs,
    meaning,
    outliers,
    paper,
    presets,
)

MAKERS: dict[str, Maker] = {}
for _room in (digits, codes, benchmarks, presets, meaning, outliers, paper, glyphs):
    for _maker in _room.MAKERS:
        if _maker.name in MAKERS:
            raise InvalidArgumentError(
                f"two makers are called '{_maker.name}'; give one another name"
            )
        MAKERS[_maker.name] = _maker
