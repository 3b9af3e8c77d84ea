"""A figure that compares training methods.

A training method is a scheme or a learned head together with settings.

It shows means over seeds, with 95% confidence intervals, against the dimension.
"""

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Any

from protosphere.plots.style import SPARE, dimension_axis, new_panels
from protosphere.statistics.intervals import Compared

KNOWN_LOOKS = {
    "learned layer": ("#000000", "s"),
    "learned bottleneck": ("#D55E00", "*"),
    "semantic, aligned": ("#CC79A7", "D"),
    "best, aligned": ("#CC0000", "o"),
    "best, randomly assigned": ("#999999", "."),
    "best, opposed": ("#0072B2", "o"),
}
"""Color and marker of each known method, by its label in the legend. They are the same in all figures."""

SPARE_LOOKS = (
    ("#E69F00", "^"),
    ("#56B4E9", "x"),
    ("#009E73", "v"),
    ("#444444", "_"),
    ("#6B6B6B", "d"),
    ("#882255", "P"),
    *((color, marker) for color, marker, _ in SPARE),
)
"""Colors and markers for methods that are not in `KNOWN_LOOKS`. They are assigned in order."""

PLAIN_WORDS = {
    "align": "aligned",
    "oppose": "opposed",
    "random": "randomly assigned",
    "at random": "randomly assigned",
    "fixed": "in the given order",
}
"""Text for a legend, by the value of a setting."""

LONGEST_SHORT_NAME = 40
"""If the longest label of a legend has more characters than this number, the legend has one column instead of two."""


def legend_names(names: Sequence[str]) -> dict[str, str]:
    """Return a short label for each training method, for a legend.

    Settings that are not needed to distinguish the methods are left out, and some words are replaced by plainer ones,
    such as "align" by "aligned".

    Args:
        names: Names of methods. A name begins with a scheme or a learned head, and lists values of settings after it,
            separated by commas.

    Returns:
        A mapping from each name to its label.

    >>> legend_names(["best, align, seen, iterations 0", "best, random, iterations 0", "learned bottleneck"])
    {'best, align, seen, iterations 0': 'best, aligned', 'best, random, iterations 0': 'best, randomly assigned', ...}
    """
    parts = {name: name.split(", ") for name in names}
    for word in dict.fromkeys(word for own in parts.values() for word in own[2:]):
        shorter = {
            name: [*own[:2], *(other for other in own[2:] if other != word)]
            for name, own in parts.items()
        }
        if len({tuple(own) for own in shorter.values()}) == len(parts):
            parts = shorter
    return {
        name: ", ".join(PLAIN_WORDS.get(word, word) for word in own)
        for name, own in parts.items()
    }


def methods_figure(rows: Sequence[Compared], metric: str) -> Any:
    """Return a matplotlib figure of a metric against the dimension, with a line for each training method.

    A method with a mean at only one dimension is drawn as a horizontal line across the figure.

    Args:
        rows: Means of the metric over seeds, with confidence intervals, one for each method and dimension.
        metric: Name of the metric, for the label of the vertical axis.
    """
    by_method: dict[str, list[Compared]] = {}
    for row in rows:
        by_method.setdefault(row.method, []).append(row)
    legend = legend_names(list(by_method))
    with new_panels(4.2) as (figure, ax):
        spare = cycle(SPARE_LOOKS)
        for name, own in by_method.items():
            look = KNOWN_LOOKS.get(legend[name]) or next(spare)
            _draw_method(ax, legend[name], own, *look)
        dimension_axis(ax, _drawn_dims(by_method))
        ax.set_ylabel(f"{metric}, %" if metric.endswith("accuracy") else metric)
        longest = max(len(name) for name in legend.values())
        columns = 2 if longest <= LONGEST_SHORT_NAME else 1
        figure.legend(loc="outside lower center", ncols=columns, frameon=False)
    return figure


def _draw_method(
    ax: Any, name: str, rows: Sequence[Compared], color: str, marker: str
) -> None:
    # a single mean is drawn as a horizontal line across the figure, without error bars
    means = [row.mean.value for row in rows]
    if len(rows) == 1:
        label = f"{name}, n = {rows[0].dim}"
        ax.axhline(means[0], color=color, linestyle="--", linewidth=1, label=label)
        return
    ax.errorbar(
        [row.dim for row in rows],
        means,
        [row.mean.margin or 0.0 for row in rows],
        color=color,
        marker=marker,
        capsize=2,
        elinewidth=0.7,
        label=name,
    )


def _drawn_dims(by_method: Mapping[str, Sequence[Compared]]) -> list[int]:
    # the dimensions of the methods with means at several dimensions, or of all methods if there is no such method
    several: set[int] = set()
    every: set[int] = set()
    for rows in by_method.values():
        dims = [row.dim for row in rows]
        every.update(dims)
        if len(dims) > 1:
            several.update(dims)
    return sorted(several or every)
