"""Measurements of codes for the atlas page, which are shipped with the package."""

import gzip
import json
from functools import lru_cache
from importlib.resources import files
from typing import Any

CHECKPOINTS = (10, 30, 100, 300, 1000)
"""Numbers of classes for which the page shows the distribution of the cosines of all pairs."""

MODIFIED = "bch modified"
"""Key in "cells" of BCH codes that are modified to other lengths. A theorem guarantees their maximum cosines."""

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
        member: For a code of a family, the identifier of the code (`Member.id`). For other codes, the empty text.
    """
    return f"{scheme}|{dim}|{member}"


@lru_cache(maxsize=1)
def shipped_measurements() -> dict[str, dict[str, Any]]:
    """Return the measurements that are shipped with the package, as a dictionary of four mappings.

    - "steps" maps a key (see `spectra_key`) to the maximum cosines of the first K points of a code, for all K. The
      value is a flat list. It has three entries for each range of K with the same maximum cosine: the first K, the last
      K and this cosine. An exact cosine is a text with a fraction.
    - "spectra" maps a key to a mapping from K to the cosines of all pairs of the first K points. The cosines are a flat
      list [cosine, number of pairs, cosine, number of pairs, ...]. If there are too many different cosines, the list is
      ["bins", smallest cosine, largest cosine, number of antipodal pairs, energy, number of pairs of each bin ...].
    - "cells" maps a scheme, or `MODIFIED`, to rows [K, n, maximum cosine]. It has only schemes for which the page has
      no formula.
    - "space" maps K to the best known code of K points in R^3, as a base64 text with two bytes per point.
    """
    found = files("protosphere.atlas_page") / FILE
    if not found.is_file():
        return EMPTY
    return EMPTY | json.loads(gzip.decompress(found.read_bytes()))
