"""Writing of a catalogue: codes rounded to few bits, and the file that holds them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from protosphere.geometry.gram import max_cosine
from protosphere.storage.files import replace_file
from protosphere.tables.catalogue import Catalogue, CatalogueEntry, QuantizedCode
from protosphere.tables.table_files import column_names
from protosphere.types import Points

ROUNDING_SHARE = 0.25
"""Rounding of a coordinate, of the smallest angle over the square root of n: a point moves by 7 % of that angle."""


def quantize(points: Points) -> QuantizedCode:
    """Return a code with its coordinates rounded."""
    angle = float(np.arccos(max_cosine(points)))
    step = max(ROUNDING_SHARE * angle / np.sqrt(points.shape[1]), 1 / 127)
    return QuantizedCode(np.rint(points / step).astype(np.int8), angle)


def write_catalogue(path: str | Path, catalogue: Catalogue) -> None:
    """Write a catalogue as an .npz file."""
    kinds = dict.fromkeys(column_names(CatalogueEntry), np.uint16) | {
        "max_cosine": np.float64
    }
    entries = {
        name: np.array([getattr(one, name) for one in catalogue.entries], kind)
        for name, kind in kinds.items()
    }
    columns = entries | {
        "shapes": np.array(
            [one.levels.shape for one in catalogue.sources], dtype=np.uint16
        ).reshape(-1, 2),
        "angles": np.array([one.angle for one in catalogue.sources]),
        "levels": np.concatenate(
            [np.zeros(0, np.int8), *(one.levels.ravel() for one in catalogue.sources)]
        ),
        "extent": np.array(
            [catalogue.most_points, catalogue.largest_dim], dtype=np.uint16
        ),
        "searched_beyond": np.array(
            sorted(catalogue.searched_beyond), dtype=np.uint16
        ).reshape(-1, 2),
    }

    def write(beside: Path) -> None:
        with beside.open("wb") as file:
            np.savez_compressed(file, allow_pickle=False, **columns)

    replace_file(Path(path), write)
