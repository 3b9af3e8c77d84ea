"""Command `python -m reproduction self_supervised`."""

from pathlib import Path

from rich.table import Table

from protosphere.cli.arguments import Json
from protosphere.cli.finished_runs import stored_records
from protosphere.cli.output import FIGURE_ENDINGS, checked_output
from protosphere.cli.screen import print_json, screen
from protosphere.errors import StorageError
from protosphere.plots.figure_files import save_figure
from reproduction.self_supervised import (
    PREDICTORS,
    RANDOM,
    MethodResult,
    method_results,
    paired_difference,
    prediction,
    verdict,
)
from reproduction.self_supervised_figure import separation_figure

METRICS = (
    "test_accuracy",
    "test_linear_probe_accuracy",
    "test_prototypes_in_use",
    "max_cosine",
)


STUDY = Path("results/self_supervised/study.csv")


def self_supervised(
    *results: Path,
    figure: Path | None = None,
    json: Json = False,
) -> None:
    """Measure the effect of the separation of prototypes on self-supervised learning.

    Args:
        results: Paths of tables or stores with runs of examples/self_supervised.
            The default is the table of study.toml.
        figure: Path of a figure to draw (.png, .pdf or .svg), with accuracy against the maximum cosine.
        json: Print JSON.
    """
    picture = checked_output(figure, FIGURE_ENDINGS)
    sources = results or (STUDY,)
    records = [record for source in sources for record in stored_records(source)]
    found = method_results(records)
    if not found:
        names = ", ".join(f"'{source}'" for source in sources)
        raise StorageError(f"{names} has no finished self-supervised run")
    if picture is not None:
        save_figure(separation_figure(found), picture)
    if json:
        print_json([_row(result) for result in found])
        return
    screen().print(_table(found))
    for method in dict.fromkeys(result.method for result in found):
        if method != RANDOM:
            difference = paired_difference(found, method, RANDOM)
            screen().print(f"{method} - {RANDOM}: {difference} ({verdict(difference)})")
    for name, column in PREDICTORS.items():
        line = prediction(found, column)
        if line is not None:
            screen().print(f"{name}: r squared {line.r_squared:.2f}")


def _row(result: MethodResult) -> dict[str, object]:
    means = {metric: result.mean(metric) for metric in METRICS}
    return {
        "objective": result.setting.objective,
        "num_prototypes": result.setting.num_prototypes,
        "dim": result.setting.dim,
        "method": result.method,
        "temperature": result.temperature,
        "seeds": len(result.runs),
        **{
            name: None if mean is None else [mean.value, mean.margin]
            for name, mean in means.items()
        },
    }


def _table(results: list[MethodResult]) -> Table:
    table = Table(title="features without labels, mean ± half a 95% interval")
    headings = (
        "setting",
        "prototypes",
        "temperature",
        "seeds",
        "neighbors, %",
        "probe, %",
        "in use",
        "max cosine",
    )
    for name in headings:
        table.add_column(name, justify="left" if name in headings[:2] else "right")
    for result in results:
        means = [result.mean(metric) for metric in METRICS]
        texts = ["" if mean is None else str(mean) for mean in means]
        table.add_row(
            str(result.setting),
            result.method,
            f"{result.temperature:g}",
            str(len(result.runs)),
            *texts,
        )
    return table
