"""Measurements of codes for the atlas page, which are shipped with the package."""

import gzip
import json
from functools import lru_cache
from importlib.resources import files
from typing import Any

CHECKPOINTS = (10, 30, 100, 300, 1000)
"""Numbers of classes for which the page has the cosines of all pairs."""

MODIFIED = "bch modified"
"""Key of BCH codes modified to other lengths, whose max cosine is guaranteed by a theorem."""

FILE = "measurements.json.gz"

EMPTY: dict[str, dict[str, Any]] = {
    "steps": {},
    "spectra": {},
    "cells": {},
    "space": {},
}


def spectra_key(scheme: str, dim: int, member: str = "") -> str:
    """Return the key of a code's measurements.

    Args:
        scheme: Name of the scheme, such as 'simplex'.
        dim: Dimension n.
        member: Identifier of a member of a family; empty for other codes.
    """
    return f"{scheme}|{dim}|{member}"


@lru_cache(maxsize=1)
def shipped_measurements() -> dict[str, dict[str, Any]]:
    """Return the shipped measurements: four mappings by name.

    `steps` maps a key to the maximum cosines of a code's first K points, as a flat list: first K, last K, cosine, and
    so on; exact cosines are texts with a fraction. `spectra` maps a key and K to all cosines and their numbers of
    pairs. `cells` maps a scheme without a formula to rows of K, n and maximum cosine. `space` maps K to points of
    R^3, with two bytes per coordinate.
    """
    found = files("protosphere.atlas_page") / FILE
    if not found.is_file():
        return EMPTY
    return EMPTY | json.loads(gzip.decompress(found.read_bytes()))
