"""Compute the data of the atlas page from the package, as a dictionary for JSON."""

import hashlib
import json
from fractions import Fraction
from itertools import product
from typing import Any

from protosphere.atlas_page.measurements import (
    MODIFIED,
    shipped_measurements,
    spectra_key,
)
from protosphere.atlas_page.serving import (
    LARGEST_PAGE_DIM,
    MOST_CLASSES,
    Serving,
    serving_members,
)
from protosphere.atlas_page.small_points import small_points
from protosphere.bounds import BOUNDS, PROVED_OPTIMA
from protosphere.bounds.quadrature import gauss_legendre
from protosphere.coding.primes import prime_powers
from protosphere.constructions.best.candidates import (
    LARGEST_PAIRWISE,
    certified_quickly,
    tie_order,
)
from protosphere.constructions.block_codes import construction_x
from protosphere.constructions.block_codes.coset_forms import nested_codes
from protosphere.constructions.block_codes.reed_solomon import LARGEST_Q
from protosphere.constructions.registry import (
    Construction,
    available,
    constructions_with,
    describe,
)
from protosphere.geometry.closest_pair import DEEPEST
from protosphere.spherical.certificate import LARGEST_SLACK, RELATIVE_SLACK
from protosphere.tables.atlas import AtlasRow, shipped_atlas
from protosphere.tables.catalogue import shipped_catalogue
from protosphere.tables.table_files import REBUILD_TOLERANCE
from protosphere.types import Cosine, Progress, ignore
from protosphere.version import __version__

ASKED_CLASSES = tuple(2**k for k in range(2, 21))
ASKED_DIMS = tuple(sorted({round(2 ** (i / 4)) for i in range(4, 41)}))
"""Dimensions n at which the page stores the guarantees of schemes for which its scripts have no formula.

The numbers of classes K are `ASKED_CLASSES`.
"""


def page_data(progress: Progress = ignore) -> dict[str, Any]:
    """Return all data that the atlas page shows, as a dictionary for JSON.

    The atlas page is an HTML file that shows the best known codes and bounds for each number of classes K and each
    dimension n. The dictionary includes the version of the package and a digest of the data.

    Args:
        progress: Function that is called with the name of the current stage, the number of finished steps and the
            number of all steps.
    """
    measured = shipped_measurements()
    asked = {
        name: rows for name in available() if (rows := promised_cells(describe(name)))
    }
    content: dict[str, Any] = {
        "limits": _limits(),
        "schemes": {
            name: _described(describe(name))
            for name in constructions_with(lambda traits: traits.on_page)
        },
        "members": _families(progress),
        "cells": _with_guarantees(measured["cells"]) | asked | {"best": _searched()},
        "spectra": {
            key: found
            for key, found in measured["spectra"].items()
            if key not in measured["steps"]
        },
        "chains": {
            m: _chain(m)
            for m in range(construction_x.SMALLEST_M, construction_x.LARGEST_M + 1)
        },
        "prime_powers": list(prime_powers(LARGEST_Q)),
        "quadrature": [part.tolist() for part in gauss_legendre(24)],
        "proved_optima": _proved_optima(),
        "titles": {bound.name: bound.title for bound in BOUNDS.values()},
        "space": measured["space"],
        "points": small_points(),
    }
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[
        :8
    ]
    counts = {
        "codes": sum(map(len, content["members"].values())),
        "families": len(content["members"]),
        "searches": len(shipped_catalogue().entries),
        "atlas": len(shipped_atlas()),
    }
    return {"version": __version__, "digest": digest, "counts": counts} | content


def cosine_text(value: Cosine) -> str | float:
    """Return a cosine as a value for JSON.

    If the cosine is a Fraction, it is returned as a text, such as "1/4". Otherwise it is returned as a float, rounded
    to 12 decimal places.
    """
    return str(value) if isinstance(value, Fraction) else round(float(value), 12) + 0.0


def _limits() -> dict[str, Any]:
    return {
        "most_classes": MOST_CLASSES,
        "largest_dim": LARGEST_PAGE_DIM,
        "pairwise": LARGEST_PAIRWISE,
        "deepest": DEEPEST,
        "most_punctured": construction_x.MOST_PUNCTURED,
        "relative_slack": RELATIVE_SLACK,
        "largest_slack": LARGEST_SLACK,
        "rebuild_tolerance": REBUILD_TOLERANCE,
        "covered": [shipped_catalogue().most_points, shipped_catalogue().largest_dim],
        "covered_beyond": _covered_beyond(),
        "searched": shipped_catalogue().extent,
    }


def _covered_beyond() -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    # K is a text, because the keys of a JSON object are texts
    for num_classes, dim in sorted(shipped_catalogue().searched_beyond):
        found.setdefault(str(num_classes), []).append(dim)
    return found


def _described(entry: Construction) -> dict[str, Any]:
    source: Any = entry.members or entry.build  # of a family its generator
    return {
        # determines the color of the scheme on the page
        "kind": "best" if entry.traits.chooses else source.__module__.split(".")[-2],
        "summary": entry.summary,
        "reference": entry.reference,
        "paper": entry.traits.in_paper,
        "order": tie_order()[entry.name],
    }


def _families(progress: Progress) -> dict[str, list[list[Any]]]:
    names = available()
    found = dict[str, list[list[Any]]]()
    for done, name in enumerate(names):
        progress(f"families: {name}", done, len(names))
        # one row for each member that `ps.construct` uses for some K
        if rows := [_member(name, one) for one in serving_members(describe(name))]:
            found[name] = rows
    progress("families", len(names), len(names))
    return found


def _member(name: str, one: Serving) -> list[Any]:
    member = one.member
    measured = shipped_measurements()
    # a row is [n, first K, last K, number of points, guarantee, description, steps, spectra]
    key = spectra_key(name, member.dim, member.id)
    row = [
        member.dim,
        one.first,
        one.last,
        member.size,
        cosine_text(member.max_cosine),
        member.description,
    ]
    return [*row, measured["steps"].get(key, []), measured["spectra"].get(key, {})]


def _proved_optima() -> list[list[Any]]:
    return [
        [
            row.dim,
            row.num_classes,
            float(row.value),
            str(row.value) if isinstance(row.value, Fraction) else None,
            row.theorem,
        ]
        # [n, K, maximum cosine, its exact value as a text or None if it is irrational, name of the theorem]
        for row in PROVED_OPTIMA
    ]


def _chain(m: int) -> list[list[Any]]:
    return [
        [level.size, cosine_text(level.max_cosine), level.description]
        for level in nested_codes(m)
    ]


def _with_guarantees(cells: dict[str, list[list[Any]]]) -> dict[str, list[list[Any]]]:
    return {
        scheme: [[*row, _guarantee(scheme, *row)] for row in rows]
        for scheme, rows in cells.items()
    }


def _guarantee(
    scheme: str, num_classes: int, dim: int, value: str | float
) -> str | float | None:
    if scheme == MODIFIED:
        return value
    entry = describe(scheme)
    if entry.traits.stochastic:
        promise = None
    else:
        promise = entry.guarantee(num_classes, dim, **entry.options)
    return None if promise is None else cosine_text(promise)


def promised_cells(entry: Construction) -> list[list[Any]]:
    """Return rows [K, n, guarantee, guarantee] of a scheme for which the atlas page has no other data.

    The guarantee is a proved upper bound on the maximum cosine of the scheme's code of K points in R^n. It is in the
    row twice, because rows of other schemes have the measured maximum cosine in the third column. K takes the powers of
    2 from 4 to 2^20, the last of which is written as 1,000,000, and n takes about four values per power of 2 from 2 to
    1024. A pair (K, n) has no row if it is infeasible, has no guarantee, or cannot be certified in seconds. The list is
    empty if the page needs no rows of the scheme, for example because it has a formula for them.

    Args:
        entry: Record of the scheme in the registry of constructions.
    """
    traits = entry.traits
    known = traits.page_formula or not traits.on_page or entry.members is not None
    if known or traits.stochastic or traits.searched or traits.chooses:
        return []
    rows: list[list[Any]] = []
    for K, dim in product(ASKED_CLASSES, ASKED_DIMS):
        if (
            certified_quickly(entry.name, K, dim)
            and entry.infeasible_reason(K, dim, **entry.options) is None
        ):
            promise = entry.guarantee(K, dim, **entry.options)
            rows += (
                []
                if promise is None
                else [
                    [
                        min(K, MOST_CLASSES),
                        dim,
                        cosine_text(promise),
                        cosine_text(promise),
                    ]
                ]
            )
    return rows


def _searched() -> list[list[Any]]:
    # a row is [K, n, maximum cosine, description, iterations], where an empty text stands for the default iterations
    kept = [
        [e.num_points, e.dim, round(e.max_cosine, 9), "", "0"]
        for e in shipped_catalogue().entries
    ]
    rows = {(row.of_classes, row.of_dim): row for row in shipped_atlas()}
    return kept + [_atlas_cell(row) for row in rows.values()]


def _atlas_cell(row: AtlasRow) -> list[Any]:
    value = row.exact or round(row.max_cosine, 9)
    description = f"{row.scheme}: {row.description}"
    return [
        row.of_classes,
        row.of_dim,
        value,
        description,
        "" if row.iterations is None else str(row.iterations),
    ]
