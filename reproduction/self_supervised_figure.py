"""A figure of the accuracy of self-supervised features against the maximum cosine of the prototypes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from protosphere.plots.style import new_panels
from reproduction.self_supervised import (
    LEARNED,
    NARROW,
    RANDOM,
    SEPARATED,
    SIMPLEX,
    TIGHT,
    WIDE,
    MethodResult,
    Setting,
)

COLUMNS = 2
PANEL_HEIGHT = 2.2
MARGIN_HEIGHT = 1.2
"""Height of a row of panels, and height of legend and axis label, in inches."""

NAMES = {"swav": "SwAV", "dino": "DINO", "noise_as_targets": "noise as targets"}
"""Names of the objectives in titles."""

STYLES = {
    SEPARATED: ("#D55E00", "o"),
    SIMPLEX: ("#E69F00", "v"),
    RANDOM: ("#999999", "s"),
    WIDE: ("#56B4E9", "^"),
    NARROW: ("#0072B2", "D"),
    TIGHT: ("#009E73", "P"),
}
"""Color and marker of each kind of fixed prototypes."""

LEARNED_COLOR = "#000000"


def separation_figure(results: Sequence[MethodResult]) -> Any:
    """Return a matplotlib figure with a panel for each setting.

    A panel has a marker with a 95% interval for each kind of fixed prototypes, and a horizontal line for learned
    prototypes.

    Args:
        results: Results of all methods in all settings of the study.
    """
    settings = list(dict.fromkeys(result.setting for result in results))
    columns = min(COLUMNS, len(settings))
    rows = -(-len(settings) // columns)
    with new_panels(
        MARGIN_HEIGHT + PANEL_HEIGHT * rows, nrows=rows, ncols=columns, squeeze=False
    ) as (figure, axes):
        lowest = range(len(settings) - columns, len(settings))
        for number, (setting, panel) in enumerate(
            zip(settings, axes.flat, strict=False)
        ):
            own = [result for result in results if result.setting == setting]
            _draw(panel, own)
            panel.set_title(_title(setting))
            panel.set_xlim(-0.15, 1.05)
            if number in lowest:
                panel.set_xlabel("maximum cosine of the prototypes")
        for panel in axes.flat[len(settings) :]:
            panel.set_visible(False)
        figure.supylabel("accuracy of nearest neighbors, %", fontsize="medium")
        handles: dict[str, Any] = {}
        for panel in axes.flat[: len(settings)]:
            for handle, label in zip(*panel.get_legend_handles_labels(), strict=True):
                handles.setdefault(label, handle)
        figure.legend(
            handles.values(), handles.keys(), loc="outside lower center", ncols=3
        )
    return figure


def _title(setting: Setting) -> str:
    name = NAMES.get(setting.objective, setting.objective)
    return f"{name}, K = {setting.num_prototypes:,}, n = {setting.dim}"


def _draw(panel: Any, results: Sequence[MethodResult]) -> None:
    for result in results:
        accuracy = result.mean()
        if accuracy is None:
            continue
        margin = accuracy.margin or 0.0
        if result.method == LEARNED:
            low, high = accuracy.value - margin, accuracy.value + margin
            panel.axhspan(low, high, color=LEARNED_COLOR, alpha=0.08, linewidth=0)
            panel.axhline(accuracy.value, color=LEARNED_COLOR, label="learned")
            continue
        color, marker = STYLES[result.method]
        cosine = result.mean("max_cosine")
        panel.errorbar(
            cosine.value if cosine else 0.0,
            accuracy.value,
            yerr=margin,
            color=color,
            marker=marker,
            linestyle="none",
            capsize=2,
            label=result.method,
        )
