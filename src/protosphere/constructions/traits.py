"""Traits: properties that a construction states about itself for the other packages."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

LineStyle = str | tuple[int, tuple[int, ...]]
"""Line style in matplotlib's notation: "-", "none", or an offset and the lengths of dashes."""


@dataclass(frozen=True)
class FigureStyle:
    """Style with which figures draw one scheme.

    The colors are those of Okabe and Ito, which color-blind readers can tell apart.

    Attributes:
        label: Name in the legend.
        color: Color as "#RRGGBB".
        marker: Marker of matplotlib; empty for a line without markers.
        line: Line style of matplotlib.
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
    """Properties of a construction that decide how others treat it.

    Attributes:
        stochastic: The points depend on the seed at the default options.
        packed: The points are codewords of +-1/sqrt(n), held at one bit an entry where nothing is appended to them.
        linear: The points are codewords of a binary linear code.
        searched: The points come from a search or a solver that provenance cannot repeat bit for bit, so that codes
            and files carry the points themselves.
        closed_form: The dense points are closed forms that every machine rounds alike, so that files may leave out
            large arrays of points.
        numbered: The points are computed from their indices on request, and no pair has to be measured.
        chooses: The construction builds the points of the other construction that it finds best.
        quick_certificate: Any number of dense points is certified in seconds: by a lattice, or because there are few.
        quick_guarantee: The guarantee is a formula, so that `best` asks for it at every (K, n).
        low_frame_potential: Among codes with the same maximum cosine, the points have the lowest frame potential.
        fast_projection: The codewords are in cosets of RM(1, m), which a head multiplies fastest.
        in_paper: The construction is one of the paper's.
        on_page: The atlas page shows it.
        page_formula: The scripts of the atlas page compute its max cosine.
        page_points: The scripts of the atlas page compute its points in two and three dimensions.
        quick_options: Options that give an answer at once, within about a second.
        style: How figures draw it; None for the next spare style.
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
    in_paper: bool = False
    on_page: bool = True
    page_formula: bool = False
    page_points: bool = False
    quick_options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    style: FigureStyle | None = None


NO_TRAITS = Traits()
"""Traits of a construction that states none."""
