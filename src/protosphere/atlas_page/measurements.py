"""Read the measurements for the atlas page that come with the package."""

import gzip
import json
from functools import lru_cache
from importlib.resources import files
from typing import Any

CHECKPOINTS = (10, 30, 100, 300, 1000)
"""Numbers of classes for which the page has the cosines of all pairs."""

MODIFIED = "bch modified"
"""Key of BCH codes that were modified to other lengths, with the max cosine that a theorem promises."""

FILE = "measurements.json.gz"

EMPTY: dict[str, dict[str, Any]] = {
    "steps": {},
    "spectra": {},
    "cells": {},
    "space": {},
}


def spectra_key(scheme: str, dim: int, member: str = "") -> str:
    """Return the key of the measurements of a code, the member of a family being given by its id."""
    return f"{scheme}|{dim}|{member}"


@lru_cache(maxsize=1)
def shipped_measurements() -> dict[str, dict[str, Any]]:
    """The measurements that come with the package.

    `steps`: by key the max cosine of a code's first K points, flat: from K, to K, cosine, and so on; a text is a
    fraction. `spectra`: by key, then by K, all cosines and how many pairs have them. `cells`: by scheme rows of K, n
    and max cosine, of schemes without a formula. `space`: by K the points of R^3, two bytes each.
    """
    found = files("protosphere.atlas_page") / FILE
    if not found.is_file():
        return EMPTY
    return EMPTY | json.loads(gzip.decompress(found.read_bytes()))
