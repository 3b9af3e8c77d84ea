"""The largest known kissing configurations that do not come from lattices, in 13, 14 and 17 to 21 dimensions."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial

from protosphere.constructions.families import Member, dense_member, family
from protosphere.constructions.kissing.barnes_wall_odd_signs import (
    layers_over_barnes_wall,
)
from protosphere.constructions.kissing.fano_products import fano_products
from protosphere.constructions.kissing.golay_odd_signs import golay_odd_signs
from protosphere.constructions.kissing.quadruples_between_layers import (
    quadruples_between_layers,
)
from protosphere.constructions.traits import Traits
from protosphere.types import Points

CONFIGURATIONS: tuple[
    tuple[int, int, str, Callable[[], Points], Fraction | None], ...
] = (
    (13, 1_154, "Zinoviev and Ericson's", quadruples_between_layers, None),
    (14, 1_932, "Ganzhinov's", fano_products, Fraction(1, 8)),
    (17, 5_730, "Cohn and Li's", partial(layers_over_barnes_wall, 17), Fraction(1, 36)),
    (18, 8_358, "Kravatskiy's", partial(layers_over_barnes_wall, 18), None),
    (19, 11_948, "Ho's", partial(golay_odd_signs, 19), None),
    (20, 19_448, "Cohn and Li's", partial(golay_odd_signs, 20), None),
    (21, 29_768, "Cohn and Li's", partial(golay_odd_signs, 21), None),
)
"""Dimension, number of points, authors, function that builds the points, and cosine step of each configuration.

The cosine step is a fraction such that all cosines are 1 minus a multiple of it. None if there is no such fraction.
"""


@family(
    summary="the largest known kissing configurations, not from lattices, n = 13, 14, 17 to 21; max cosine 1/2",
    reference="Zinoviev & Ericson (1999); Ganzhinov (2022); Cohn & Li (2024); Ho (2026); Kravatskiy (2026)",
    traits=Traits(closed_form=True, quick_certificate=True),
)
def kissing_configuration() -> Iterator[Member]:
    """Yield kissing configurations: codes of points at angles of at least 60 degrees.

    The points are the directions in which equal spheres touch a central sphere of the same size.
    """
    for dim, size, whose, make, step in CONFIGURATIONS:
        yield dense_member(
            dim=dim,
            size=size,
            max_cosine=Fraction(1, 2),
            id=f"kissing-{dim}-{size}",
            description=f"{whose} kissing configuration of {size} points",
            points=lambda count, make=make: make()[:count],
            step=step,
        )
