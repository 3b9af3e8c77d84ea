"""Extend a catalogue by entries for larger numbers of points."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from protosphere.constructions.best.candidates import best_member
from protosphere.tables.catalogue import Catalogue

LEAST_GAIN = 0.002
"""Smallest relative gain of 1 - (maximum cosine) for which an entry is added."""


def extended(catalogue: Catalogue, parts: Iterable[Catalogue]) -> Catalogue:
    """Return the catalogue with entries from `parts` for more points than `most_points` of the catalogue.

    Let a be the largest value of 1 - (maximum cosine) of a code with at least as many points in at most as many
    dimensions. An entry is added only if its value is at least (1 + `LEAST_GAIN`) a. The stored codes of the catalogue
    keep their indices, because saved codes refer to these indices.
    """
    parts = list(parts)
    rows = [
        (entry, part.sources[entry.source]) for part in parts for entry in part.entries
    ]
    rows.sort(key=lambda row: (row[0].dim, -row[0].num_points, row[0].max_cosine))
    sources = list(catalogue.sources)
    entries = list(catalogue.entries)
    positions: dict[tuple[bytes, int], int] = {}
    for entry, source in rows:
        if entry.num_points <= catalogue.most_points:
            continue
        rivals = [
            one.max_cosine
            for one in entries
            if one.num_points >= entry.num_points and one.dim <= entry.dim
        ]
        family = best_member(entry.num_points, entry.dim)
        rivals += [float(family.max_cosine)] if family is not None else []
        apart = 1 - min(rivals, default=1.0)
        if 1 - entry.max_cosine < (1 + LEAST_GAIN) * apart:
            continue
        name = (source.levels.tobytes(), source.levels.shape[1])
        if name not in positions:
            positions[name] = len(sources)
            sources.append(source)
        entries.append(replace(entry, source=positions[name]))
    beyond = catalogue.searched_beyond.union(*(part.searched_beyond for part in parts))
    return replace(
        catalogue,
        sources=tuple(sources),
        entries=tuple(entries),
        searched_beyond=beyond,
    )
