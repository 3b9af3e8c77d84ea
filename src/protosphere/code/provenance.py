"""How a code came about: enough to build its points again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Provenance:
    """Enough to rebuild the points bit for bit: `ps.construct`, or `ps.best`, called again with the same words."""

    construction: str
    num_classes: int
    dim: int
    options: Mapping[str, Any]
    seed: int
    mapping: str
    version: str
