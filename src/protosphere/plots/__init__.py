"""Figures with matplotlib, which is imported when the first figure is drawn."""

from protosphere.plots.histogram import draw_histogram
from protosphere.plots.separation import draw_comparison
from protosphere.plots.similarity import draw_similarity

__all__ = ["draw_comparison", "draw_histogram", "draw_similarity"]
