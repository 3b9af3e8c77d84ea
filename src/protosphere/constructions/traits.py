"""Traits: properties that a construction states about itself, for use in other parts of the package."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

LineStyle = str | tuple[int, tuple[int, ...]]
"""Line style in matplotlib's notation: "-", "none", or an offset and the lengths of dashes."""


@dataclass(frozen=True)
class FigureStyle:
    """Color, marker and line with which figures draw one scheme.

    The colors are from the palette of Okabe and Ito, which color-blind readers can tell apart.

    Attributes:
        label: Name in the legend.
        color: Color as "#RRGGBB".
        marker: Marker of matplotlib; empty for a line without markers.
        line: Line style of matplotlib, such as "-" or "none".
        width: Line width in points.
        size: Marker size in points.
    """

    label: str
    color: str
    marker: str
    line: LineStyle
    width: float = 1.2
    size: float = 7.5


@dataclass(frozen=True)
class Traits:
    """Properties of a construction that decide how other parts of the package treat it.

    Attributes:
        stochastic: Whether the points depend on the seed if all options have their default values.
        packed: Whether the points are codewords of +-1/sqrt(n), stored at one bit per entry. Coordinates that are
            appended to the codewords are stored separately.
        linear: Whether the points are codewords of a binary linear code.
        searched: Whether the points come from a search or a solver whose result cannot be repeated bit for bit. Codes
            and files then contain the points themselves.
        closed_form: Whether points that are stored as dense vectors come from formulas that every machine rounds alike.
            Files may then leave out large arrays of points.
        numbered: Whether the points are computed from their indices on request. Their maximum cosine is then known
            without measuring pairs of points.
        chooses: Whether the construction chooses among the other constructions and builds the points with the lowest
            maximum cosine.
        quick_certificate: Whether every code of the construction is certified in seconds, because its points belong to
            a lattice or it has few points.
        quick_guarantee: Whether the guaranteed maximum cosine is computed by a formula. `ps.best` then computes it for
            every (K, n).
        low_frame_potential: Whether the points have the lowest frame potential (mean squared cosine) of all codes with
            the same maximum cosine.
        fast_projection: Whether the points are codewords in cosets of the Reed-Muller code RM(1, m), for which a
            `PrototypeHead` computes logits fastest.
        smallest_dim: Function from K to the smallest dimension in which the construction has K points. `compose`, which
            makes prototypes of classes with several parts, uses it for a part without a given dimension. None if there
            is no such function, so that `compose` requires a dimension.
        in_paper: Whether the construction is in Lindström et al. (2024).
        on_page: Whether the atlas page shows the construction.
        page_formula: Whether the scripts of the atlas page compute the maximum cosine of the construction.
        page_points: Whether the scripts of the atlas page compute the points of the construction in two and three
            dimensions.
        quick_options: Options with which the construction takes about a second at most.
        style: Style in figures. If it is None, figures take a style that no other construction uses.
    """

    stochastic: bool = False
    packed: bool = False
    linear: bool = False
    searched: bool = False
    closed_form: bool = False
    numbered: bool = False
    chooses: bool = False
    quick_certificate: bool = False
    quick_guarantee: bool = False
    low_frame_potential: bool = False
    fast_projection: bool = False
    smallest_dim: Callable[[int], int] | None = None
    in_paper: bool = False
    on_page: bool = True
    page_formula: bool = False
    page_points: bool = False
    quick_options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    style: FigureStyle | None = None


NO_TRAITS = Traits()
"""Traits of a construction that states none."""
