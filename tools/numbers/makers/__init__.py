"""All makers by name. Each file of this folder has the makers of one subject."""

from __future__ import annotations

from protosphere.errors import InvalidArgumentError
from tools.numbers.maker import Maker
from tools.numbers.makers import (
    benchmarks,
    codes,
    digits,
    glyphs,
    learning_rates,
    many_classes,
    meaning,
    outliers,
    paper,
    presets,
    self_supervised,
    separation,
)

MAKERS: dict[str, Maker] = {}
_ROOMS = (
    digits,
    codes,
    many_classes,
    benchmarks,
    presets,
    learning_rates,
    meaning,
    outliers,
    paper,
    separation,
    glyphs,
    self_supervised,
)

for _room in _ROOMS:
    for _maker in _room.MAKERS:
        if _maker.name in MAKERS:
            raise InvalidArgumentError(
                f"two makers are called '{_maker.name}'; give one another name"
            )
        MAKERS[_maker.name] = _maker
