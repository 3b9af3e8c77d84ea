"""Build the points of a code from its provenance.

A provenance stores the arguments of `ps.construct`, the parameters that the scheme chose, and the steps that were
applied to the points afterwards.
"""

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
"""Start of the text of `mapping` in provenances of earlier versions whose classes are in a nested order.

The number after it says how many classes come first in this order (see `nested_order`).
"""


UNREADABLE = (KeyError, TypeError, ValueError, IndexError)
"""Exceptions that a build function may raise for a provenance that protosphere did not write."""


def rebuild(
    provenance: Provenance | None, progress: Progress = ignore
) -> SphericalCode:
    """Build the code that a provenance describes, and return it with a new certificate.

    The provenance stores the parameters that the scheme chose, so every later version of the package builds the same
    points. Codes that a search found cannot be rebuilt: their files contain the points.

    Args:
        provenance: Record of how the code was built: the arguments of `ps.construct`, the parameters that the scheme
            chose, and the steps that were applied to the points afterwards.
        progress: Function that is called with a text, the number of finished steps and the number of all steps, while
            pairs are measured.

    Returns:
        The code.

    Raises:
        InvalidArgumentError: If a search found the code, if protosphere did not write the provenance, or if
            `provenance` is None, as it is for a code of your own points.

    >>> from protosphere.constructions import best
    >>> code = best(num_classes=100, dim=15, iterations=0, catalogue=False)
    >>> rebuild(code.provenance)
    SphericalCode(best: shortened_cosets, K=100, n=15, max cosine 1/5, converse 0.166667 (levenshtein))
    """
    if provenance is None:
        raise InvalidArgumentError(
            "'provenance' must be the provenance of a scheme's code, got None:"
            " a code of your own points has none, and its file contains the points"
        )
    placed = provenance.placed_by
    entry = describe(placed.construction)
    if entry.traits.searched:
        got = f"got a search by '{entry.name}': its points are in its file"
        raise InvalidArgumentError(
            f"'provenance' must name points that can be rebuilt, {got}"
        )
    placement = placement_of(provenance, progress)
    guarantee = entry.promised(
        placed.num_classes, placed.dim, with_choice(placed).chosen, placed.options
    )
    return SphericalCode(
        placement, certified(placement, guarantee, progress), provenance
    )


def placement_of(provenance: Provenance, progress: Progress = ignore) -> Placement:
    """Return the points that a provenance describes, without a certificate.

    Args:
        provenance: Record of how the code was built: the arguments of `ps.construct`, the parameters that the scheme
            chose, and the steps that were applied to the points afterwards.
        progress: Function that is called with a text, the number of finished steps and the number of all steps, while
            points are built.
    """
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
    """Return two independent random generators, which both depend on the seed.

    Args:
        seed: Seed of a provenance.

    Returns:
        A generator for the points, and a generator for their order.
    """
    first, second = np.random.SeedSequence(seed).spawn(2)
    return np.random.default_rng(first), np.random.default_rng(second)


def after(placement: Placement, step: Step) -> Placement:
    """Apply a step of a provenance to points, and return the resulting points.

    If a step selects points by their indices and leaves out others, the result is stored as dense vectors.

    Args:
        placement: The points before the step.
        step: The step: it appends zero coordinates, keeps the first points, or selects and reorders points by their
            indices.
    """
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
    """Return a copy of a provenance that stores the parameters which the scheme chooses.

    Args:
        asked: Provenance of the code. If it already stores these parameters, they are kept. Otherwise the scheme
            chooses them now.
    """
    chosen = asked.chosen or describe(asked.construction).chosen(
        asked.num_classes, asked.dim, asked.options
    )
    return replace(asked, chosen=chosen)


def build(named: Provenance, progress: Progress) -> Placement | SphericalCode:
    """Build the points that the scheme of a provenance returns, before they are reordered and before steps are applied.

    Args:
        named: Provenance that stores all parameters which the scheme chooses. The random generator of the scheme gets
            the seed of the provenance.
        progress: Function that is called with a text, the number of finished steps and the number of all steps, while
            points are built.

    Returns:
        The points with their description. If the scheme chooses among other schemes, as 'best' does, a code with a
        certificate is returned instead.
    """
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
    except UNREADABLE as error:
        raise InvalidArgumentError(
            f"'provenance' must be what '{name}' wrote, got {brief(error)}"
        ) from error
    return made if isinstance(made, Placement) else made.placement
