"""Measurements of codes for the atlas page, which are shipped with the package."""

import gzip
import json
from functools import lru_cache
from importlib.resources import files
from typing import Any

CHECKPOINTS = (10, 30, 100, 300, 1000)
"""Numbers of classes for which the page shows the distribution of the cosines of all pairs."""

MODIFIED = "bch modified"
"""Key of BCH codes modified to other lengths, whose maximum cosine is guaranteed by a theorem."""

FILE = "measurements.json.gz"

EMPTY: dict[str, dict[str, Any]] = {
    "steps": {},
    "spectra": {},
    "cells": {},
    "space": {},
}


def spectra_key(scheme: str, dim: int, member: str = "") -> str:
    """Return the key under which the measurements of a code are stored.

    Args:
        scheme: Name of the scheme, such as 'simplex'.
        dim: Dimension n.
        member: Identifier of a member of a family; empty for other codes.
    """
    return f"{scheme}|{dim}|{member}"


@lru_cache(maxsize=1)
def shipped_measurements() -> dict[str, dict[str, Any]]:
    """Return the shipped measurements: a dictionary with four mappings.

    - "steps" maps a key (see `spectra_key`) to the maximum cosine of the first K points of a code, for all K. The value
      is a flat list: first K, last K and cosine for each range of K; an exact cosine is a text with a fraction.
    - "spectra" maps a key and K to all cosines of the first K points and their numbers of pairs.
    - "cells" maps a scheme without a formula to rows of K, n and maximum cosine.
    - "space" maps K to points of R^3, with two bytes per coordinate.
    """
    found = files("protosphere.atlas_page") / FILE
    if not found.is_file():
        return EMPTY
    return EMPTY | json.loads(gzip.decompress(found.read_bytes()))
