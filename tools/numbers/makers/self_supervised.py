"""Makers of the numbers of the study of prototypes in self-supervised learning.

See `tools/numbers/__init__.py` for the meaning of maker and answer.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from reproduction.self_supervised import (
    LEARNED,
    NARROW,
    PREDICTORS,
    RANDOM,
    SEPARATED,
    SIMPLEX,
    TIGHT,
    WIDE,
    MethodResult,
    method_results,
    paired_difference,
    prediction,
    verdict,
)
from tools.numbers.maker import STUDY, Answer, Maker
from tools.numbers.studies import runs, signed
from tools.numbers.tables import markdown

STUDY_TABLE = "self_supervised/study.csv"
LARGE_TABLE = "self_supervised/dino_65536.csv"
TARGETS_TABLE = "self_supervised/noise_as_targets.csv"
SIZES_TABLE = "self_supervised/sizes.csv"
LONG_TABLE = "self_supervised/long.csv"
COMMAND = "python -m reproduction self_supervised results/self_supervised/study.csv"
LARGE_COMMAND = (
    "python -m reproduction self_supervised results/self_supervised/dino_65536.csv"
)
TARGETS_COMMAND = "python -m reproduction self_supervised results/self_supervised/noise_as_targets.csv"
SIZES_COMMAND = (
    "python -m reproduction self_supervised results/self_supervised/sizes.csv"
)
LONG_COMMAND = "python -m reproduction self_supervised results/self_supervised/long.csv"

ORDER = (LEARNED, RANDOM, SEPARATED, SIMPLEX, WIDE, NARROW, TIGHT)
METRICS = {
    "neighbors": "test_accuracy",
    "probe": "test_linear_probe_accuracy",
    "in_use": "test_prototypes_in_use",
    "cosine": "max_cosine",
    "seconds": "seconds",
}


def measured(table: str) -> Answer:
    """Return the numbers of a table of runs.

    Returns:
        "runs": number of finished runs;
        "settings": means of the metrics, by setting and kind of prototypes;
        "differences": mean differences in accuracy between two kinds of prototypes over all settings, with verdicts;
        "explained": for each statistic of a code, the fraction of the variance of accuracy that it explains.
    """
    results = method_results(runs(table))
    differences: dict[str, Answer] = {}
    for method in ORDER:
        for reference in (RANDOM, LEARNED):
            difference = paired_difference(results, method, reference)
            if difference is not None and method != reference:
                differences[f"{method} - {reference}"] = {
                    "value": difference.value,
                    "margin": difference.margin,
                    "verdict": verdict(difference),
                }
    explained: dict[str, float] = {}
    for name, column in PREDICTORS.items():
        line = prediction(results, column)
        if line is not None:
            explained[name] = line.r_squared
    return {
        "runs": sum(record.status == "done" for record in runs(table)),
        "settings": _settings(results),
        "differences": differences,
        "explained": explained,
    }


def _settings(results: list[MethodResult]) -> dict[str, Answer]:
    found: dict[str, dict[str, Answer]] = {}
    for result in results:
        means = {name: result.mean(metric) for name, metric in METRICS.items()}
        row: dict[str, Answer] = {
            name: None if mean is None else [mean.value, mean.margin]
            for name, mean in means.items()
        }
        row["temperature"] = result.temperature
        row["seeds"] = len(result.runs)
        found.setdefault(str(result.setting), {})[result.method] = row
    return dict(found)


def with_half(cell: list[float | None] | None, digits: int = 1) -> str:
    """Return a text such as "56.1 ± 0.2" for a list [mean, half of its 95% interval].

    If the half is None, the text has only the mean. If there is no mean, the text is empty.
    """
    if cell is None or cell[0] is None:
        return ""
    text = f"{cell[0]:.{digits}f}"
    if cell[1] is None:
        return text
    return f"{text} ± {cell[1]:.{digits}f}"


COMPARED = (SEPARATED, NARROW, TIGHT)
"""Kinds of prototypes whose difference from random prototypes is shown for each setting."""


def measured_sizes() -> Answer:
    """Return the result of `measured` for the table of sizes, with the additional key "by_setting".

    For each setting of SwAV in the tables of the study and of sizes, this key has the differences in accuracy from
    random prototypes.
    """
    results = method_results([*runs(STUDY_TABLE), *runs(SIZES_TABLE)])
    by_setting: dict[str, Answer] = {}
    for setting in dict.fromkeys(result.setting for result in results):
        if setting.objective != "swav":
            continue
        own = [result for result in results if result.setting == setting]
        row: dict[str, Answer] = {}
        for method in COMPARED:
            difference = paired_difference(own, method, RANDOM)
            if difference is not None:
                row[method] = [difference.value, difference.margin]
        by_setting[str(setting)] = row
    return {**measured(SIZES_TABLE), "by_setting": by_setting}


def by_setting_table(answer: Answer) -> str:
    """Return a Markdown table of differences in accuracy from random prototypes.

    The table has a row for each setting and a column for each kind of prototypes in `COMPARED`.
    """
    rows = [
        [setting, *(_signed_half(found.get(method)) for method in COMPARED)]
        for setting, found in answer["by_setting"].items()
    ]
    return markdown(["setting", *COMPARED], rows)


def _signed_half(cell: list[float] | None) -> str:
    if cell is None:
        return ""
    return f"{signed(cell[0], 1)} ± {cell[1]:.1f}"


def results_table(answer: Answer) -> str:
    """Return a Markdown table with a row for each setting and kind of prototypes."""
    rows: list[list[str]] = []
    for setting, methods in answer["settings"].items():
        for method in ORDER:
            if method in methods:
                rows.append([setting, method, *_cells(methods[method])])
    headings = [
        "setting",
        "prototypes",
        "maximum cosine",
        "temperature",
        "neighbors, %",
        "linear probe, %",
        "in use",
    ]
    return markdown(headings, rows)


def _cells(row: Answer) -> list[str]:
    cosine = row["cosine"]
    return [
        "" if cosine is None else f"{cosine[0]:.2f}",
        f"{row['temperature']:g}",
        with_half(row["neighbors"]),
        with_half(row["probe"]),
        with_half(row["in_use"], 0),
    ]


def differences_table(answer: Answer) -> str:
    """Return a Markdown table of differences in accuracy and verdicts, with a row for each pair of methods."""
    rows = [
        [
            pair,
            f"{signed(found['value'], 2)} ± {found['margin']:.2f}",
            found["verdict"],
        ]
        for pair, found in answer["differences"].items()
        if found["margin"] is not None
    ]
    return markdown(["difference", "points of accuracy", "verdict"], rows)


def difference(answer: Answer, pair: str) -> str:
    """Return a difference in accuracy and half of its 95% interval as text.

    `pair` names two kinds of prototypes, such as "best separated - learned".
    """
    found = answer["differences"][pair]
    value = signed(found["value"], 1)
    if found["margin"] is None:
        return value
    return f"{value} ± {found['margin']:.1f}"


def explained_table(answer: Answer) -> str:
    """Return a Markdown table of the percentage of the variance of accuracy that each statistic explains."""
    rows = [[name, f"{100 * share:.0f}"] for name, share in answer["explained"].items()]
    return markdown(["number of the code", "variance of accuracy, %"], rows)


def count(answer: Answer) -> str:
    """Return the number of finished runs as text."""
    return str(answer["runs"])


def _maker(
    name: str,
    command: str,
    table: str,
    shown: dict[str, object],
    measure: Callable[[], Answer] | None = None,
) -> Maker:
    return Maker(
        name,
        command,
        measure or partial(measured, table),
        {"table": results_table, "runs": count, **shown},  # pyright: ignore[reportArgumentType]
        cost=STUDY,
        tables=(f"results/{table}",),
        seeds=(0, 1, 2),
    )


MAKERS = (
    _maker(
        "self_supervised",
        COMMAND,
        STUDY_TABLE,
        {
            "differences": differences_table,
            "explained": explained_table,
            "separated": partial(difference, pair=f"{SEPARATED} - {RANDOM}"),
            "narrow": partial(difference, pair=f"{NARROW} - {RANDOM}"),
            "wide": partial(difference, pair=f"{WIDE} - {RANDOM}"),
            "tight": partial(difference, pair=f"{TIGHT} - {RANDOM}"),
            "wide_learned": partial(difference, pair=f"{WIDE} - {LEARNED}"),
            "narrow_learned": partial(difference, pair=f"{NARROW} - {LEARNED}"),
            "separated_learned": partial(difference, pair=f"{SEPARATED} - {LEARNED}"),
        },
    ),
    _maker(
        "self_supervised_large",
        LARGE_COMMAND,
        LARGE_TABLE,
        {"separated_learned": partial(difference, pair=f"{SEPARATED} - {LEARNED}")},
    ),
    _maker(
        "noise_as_targets",
        TARGETS_COMMAND,
        TARGETS_TABLE,
        {"separated": partial(difference, pair=f"{SEPARATED} - {RANDOM}")},
    ),
    _maker(
        "self_supervised_sizes",
        SIZES_COMMAND,
        SIZES_TABLE,
        {"by_setting": by_setting_table},
        measured_sizes,
    ),
    _maker(
        "self_supervised_long",
        LONG_COMMAND,
        LONG_TABLE,
        {
            "separated": partial(difference, pair=f"{SEPARATED} - {RANDOM}"),
            "narrow": partial(difference, pair=f"{NARROW} - {RANDOM}"),
        },
    ),
)
