"""Measurements of codes that the atlas page shows: maximum cosines, and how many pairs of points have each cosine.

The measurements are shipped with the package. The atlas page is a web page that shows the codes of all schemes.
"""

import gzip
import json
from functools import lru_cache
from importlib.resources import files
from typing import Any

CHECKPOINTS = (10, 30, 100, 300, 1000)
"""Numbers of classes for which the page shows the distribution of the cosines of all pairs."""

MODIFIED = "bch modified"
"""Key in the mapping "cells" of `shipped_measurements` for BCH codes that are modified to other lengths.

The maximum cosines under this key are upper bounds that a theorem guarantees.
"""

FILE = "measurements.json.gz"

EMPTY: dict[str, dict[str, Any]] = {
    "steps": {},
    "spectra": {},
    "cells": {},
    "space": {},
}


def spectra_key(scheme: str, dim: int, member: str = "") -> str:
    """Return the text under which the measurements of a code are stored: "scheme|dimension|member".

    Args:
        scheme: Name of the scheme, such as 'simplex'.
        dim: Dimension n of the code.
        member: If the scheme is a family of several codes, the identifier of the code within the family. Otherwise the
            empty text.
    """
    return f"{scheme}|{dim}|{member}"


@lru_cache(maxsize=1)
def shipped_measurements() -> dict[str, dict[str, Any]]:
    """Return the measurements that are shipped with the package, as a dictionary of four mappings.

    In the first two mappings, a code is named by a text of three parts, "scheme|dimension|member". The third part is
    the identifier of the code within a family of codes, or empty.

    - "steps" maps a code to the maximum cosines of its first K points, for the numbers K that the page shows. The value
      is a flat list. It has three entries for each range of K with the same maximum cosine: the first K, the last K and
      this cosine. An exact cosine is a text with a fraction.
    - "spectra" maps a code to a mapping from K to the cosines of all pairs of the first K points. With at most 24
      different cosines, the value is a flat list [cosine, number of pairs, cosine, number of pairs, ...]. With more, it
      is a histogram of 24 bins of equal length: ["bins", smallest cosine, largest cosine, number of antipodal pairs,
      energy, number of pairs in bin 1, number of pairs in bin 2, ...]. The energy is lower if the points are more
      uniform.
    - "cells" maps the name of a scheme to rows [K, n, maximum cosine of the code of K points in R^n]. It has only
      schemes for which the page has no formula. The name "bch modified" stands for BCH codes that are modified to other
      lengths, with upper bounds in place of maximum cosines.
    - "space" maps K to the best known code of K points in R^3, as a base64 text with two bytes per point. The bytes are
      the coordinates of the point in a square, onto which the sphere is mapped by the octahedral encoding.

    If the package was built without measurements, the four mappings are empty.
    """
    found = files("protosphere.atlas_page") / FILE
    if not found.is_file():
        return EMPTY
    return EMPTY | json.loads(gzip.decompress(found.read_bytes()))
