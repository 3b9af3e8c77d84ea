"""From provenance to points: what it names is built, and nothing is chosen again."""

from dataclasses import replace

import numpy as np

from protosphere.assignment import class_order
from protosphere.constructions.nested import nested_order
from protosphere.constructions.registry import describe
from protosphere.errors import InvalidArgumentError, brief
from protosphere.spherical.certificate import certified
from protosphere.spherical.placement import Placement, dense_placement
from protosphere.spherical.provenance import FIRST, ZEROS, Provenance, Step
from protosphere.spherical.spherical_code import SphericalCode
from protosphere.types import Progress, ignore

NESTED = "nested from "
"""Before a number of first classes: why points were put in order."""


def rebuild(provenance: Provenance, progress: Progress = ignore) -> SphericalCode:
    """The code that this is the provenance of, certified anew.

    No ranking is asked, so that a family found later, or preferred later, changes nothing. What was searched for is
    refused: no words give its points back, and its file has them.

    >>> from protosphere.constructions import best
    >>> code = best(num_classes=100, dim=15, iterations=0, catalogue=False)
    >>> rebuild(code.provenance)
    SphericalCode(best: shortened_cosets, K=100, n=15, max cosine 1/5, converse 0.166667 (levenshtein))
    """
    placed = provenance.placed_by
    entry = describe(placed.construction)
    if entry.traits.searched:
        got = f"got a search by '{entry.name}': its points are in its file"
        raise InvalidArgumentError(
            f"'provenance' must name what words give back, {got}"
        )
    placement = placement_of(provenance, progress)
    guarantee = entry.promised(
        placed.num_classes, placed.dim, with_choice(placed).chosen, placed.options
    )
    return SphericalCode(
        placement, certified(placement, guarantee, progress), provenance
    )


def placement_of(provenance: Provenance, progress: Progress = ignore) -> Placement:
    """The points that provenance names, not certified."""
    chosen = provenance.resolved
    mapping = provenance.mapping
    if chosen is None:
        placement = _placed(provenance, progress)
    else:
        placement = placement_of(chosen, progress)
    if mapping.startswith(
        NESTED
    ):  # as versions wrote it that did not keep the order itself
        order = nested_order(
            placement.unit_rows(0, placement.count), int(mapping.removeprefix(NESTED))
        )
    else:
        order = class_order(
            mapping, provenance.num_classes, streams(provenance.seed)[1]
        )
    if order is not None:
        placement = placement.permuted(order)
    for step in provenance.steps:
        placement = after(placement, step)
    return placement


def streams(seed: int) -> tuple[np.random.Generator, np.random.Generator]:
    """The random numbers of a seed: for the points, and for which class gets which."""
    first, second = np.random.SeedSequence(seed).spawn(2)
    return np.random.default_rng(first), np.random.default_rng(second)


def after(placement: Placement, step: Step) -> Placement:
    """The points after a step. A part of a code's words is kept as points: it is no such code any more."""
    count = placement.count
    if step.what == ZEROS:
        description = f"{placement.description}, {step.count} zero coordinates added"
        return placement.padded(placement.dim + step.count, description)
    if step.what == FIRST:
        return placement.permuted(np.arange(step.count))
    numbers = np.array(step.numbers, dtype=np.int64)
    if len(numbers) == count:
        return placement.permuted(numbers)
    description = f"{len(numbers)} of {count} points: {placement.description}"
    points = placement.unit_rows(0, count)[numbers]
    return dense_placement(description, points, placement.structure.cosine_step)


def with_choice(asked: Provenance) -> Provenance:
    """The same, nothing left open: with what was chosen, or where none is kept with what is chosen now."""
    chosen = asked.chosen or describe(asked.construction).chosen(
        asked.num_classes, asked.dim, asked.options
    )
    return replace(asked, chosen=chosen)


def build(named: Provenance, progress: Progress) -> Placement | SphericalCode:
    """What the construction makes of a request, with what was chosen and the random numbers of its seed."""
    entry = describe(named.construction)
    supplied = {
        "seed": named.seed,
        "rng": streams(named.seed)[0],
        "progress": progress,
        "chosen": named.chosen,
    }
    return entry.placed(named.num_classes, named.dim, supplied, named.options)


def _placed(provenance: Provenance, progress: Progress) -> Placement:
    name = describe(provenance.construction).name
    try:
        made = build(with_choice(provenance), progress)
    except (
        KeyError,
        TypeError,
        ValueError,
        IndexError,
    ) as error:  # words that somebody else wrote
        raise InvalidArgumentError(
            f"'provenance' must be what '{name}' wrote, got {brief(error)}"
        ) from error
    return made if isinstance(made, Placement) else made.placement
