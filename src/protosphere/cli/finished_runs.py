"""Convert run records into the form that figures and reports need."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from protosphere.errors import InvalidArgumentError, StorageError
from protosphere.experiments.config import (
    ALIGNED_MAPPINGS,
    PROTOTYPE_SETTINGS,
    SAME_SEED,
    TrainingConfig,
)
from protosphere.experiments.record import RunRecord
from protosphere.experiments.store import read_table, records_at
from protosphere.plots.accuracy import Trained

DISTINGUISHING = (
    "objective",
    "objective_options",
    "num_prototypes",
    "temperature",
    "prototypes",
    "similarity",
    "prototype_warmup_epochs",
    "backbone",
    "preset",
    "loss",
    "loss_options",
    "scale",
    "optimizer",
    "lr",
    "epochs",
    "train_images",
    "label_noise",
    "scheme_options",
)
"""Settings whose values a figure shows if they differ between its runs."""

OFF_AT_ZERO = ("prototype_warmup_epochs", "label_noise", "train_images")
"""Settings that are not in use if their value is 0."""


def trained_runs(records: Iterable[RunRecord]) -> list[Trained]:
    """Return the finished runs in the form that figures need."""
    done = [record for record in records if record.test_accuracy is not None]
    differing = differing_settings([record.config for record in done], DISTINGUISHING)
    return [_trained(record, differing) for record in done]


def _trained(record: RunRecord, differing: Sequence[str]) -> Trained:
    assert record.test_accuracy is not None, "only of finished runs"
    config = record.config
    return Trained(
        config.series,
        config.dim,
        config.mapping,
        config.seed,
        record.max_cosine,
        record.test_accuracy,
        variant(config, differing),
    )


def differing_settings(
    configs: Sequence[TrainingConfig], names: Iterable[str]
) -> list[str]:
    """Return the names of the settings whose values differ between configs.

    Configs with a learned head are ignored in the comparison of settings that only fixed prototypes use.

    Args:
        configs: Configs of runs.
        names: Names of the settings to compare.
    """
    found: list[str] = []
    for name in names:
        values = {
            str(getattr(config, name))
            for config in configs
            if config.head == "prototypes" or name not in PROTOTYPE_SETTINGS
        }
        if len(values) > 1:
            found.append(name)
    return found


def variant(config: TrainingConfig, differing: Iterable[str]) -> str:
    """Return the values of some settings of a config as text; settings that are "auto" or not in use are left out.

    Args:
        config: Config of a run.
        differing: Names of the settings to show, which differ between runs.
    """
    unused = _unused_settings(config)
    parts: list[str] = []
    for name in differing:
        value = getattr(config, name)
        if name in unused or value in ("auto", SAME_SEED):
            continue
        if isinstance(value, Mapping):
            options = cast("Mapping[str, Any]", value)
            parts += [f"{key} {option}" for key, option in options.items()]
        elif isinstance(value, str):
            parts.append(value)
        else:
            parts.append(f"{name.replace('_', ' ')} {value:g}")
    return ", ".join(parts)


def _unused_settings(config: TrainingConfig) -> set[str]:
    unused = {name for name in OFF_AT_ZERO if not getattr(config, name)}
    if config.mapping not in ALIGNED_MAPPINGS:
        unused.add("similarity")
    if config.head != "prototypes":
        unused.update(PROTOTYPE_SETTINGS)
    return unused


def counted_runs(count: int) -> str:
    """Return the number of runs as text, with the word in the singular or plural.

    >>> counted_runs(1), counted_runs(2)
    ('1 run', '2 runs')
    """
    return "1 run" if count == 1 else f"{count} runs"


def seen(records: Sequence[RunRecord]) -> str:
    """Return the networks and the numbers of epochs of runs as a text for a title, such as "simard, 6 epochs"."""
    networks = sorted({record.config.backbone for record in records})
    epochs = sorted({record.config.epochs for record in records})
    return f"{', '.join(networks)}, {', '.join(map(str, epochs))} epochs"


def metric_label(name: str) -> str:
    """Return the display name of a metric.

    >>> metric_label("test_top5_accuracy")
    'test top-5 accuracy'
    """
    return name.replace("_", " ").replace("top5", "top-5")


def is_share(name: str) -> bool:
    """Return True if a metric is a fraction from 0 to 1, which is shown in percent.

    >>> is_share("test_top5_accuracy"), is_share("test_negative_log_likelihood")
    (True, False)
    """
    return name.endswith("accuracy")


def is_count(name: str) -> bool:
    """Return True if a metric is a count, which is shown as an integer.

    >>> is_count("code_antipodal_pairs"), is_count("code_min_cosine")
    (True, False)
    """
    return name.endswith(("_pairs", "_in_use"))


def shown(name: str, value: float) -> str:
    """Return the value of a metric as text.

    >>> shown("test_top5_accuracy", 0.976), shown("test_calibration_error", 0.0123)
    ('97.60 %', '0.0123')
    >>> shown("code_antipodal_pairs", 12.0)
    '12'

    Args:
        name: Name of the metric, such as 'test_accuracy'.
        value: Value of the metric.
    """
    if is_share(name):
        return f"{100 * value:.2f} %"
    if is_count(name):
        return f"{value:.0f}"
    return f"{value:.4f}"


def stored_records(results: Path) -> list[RunRecord]:
    """Return the run records in all CSV tables of a folder, in a single CSV table, or in a store.

    Args:
        results: Path of the folder with tables, of the table, or of the store.

    Raises:
        StorageError: If the path does not exist.
        InvalidArgumentError: If the path is a file without the ending .csv.
    """
    tables = sorted(results.glob("*.csv")) if results.is_dir() else []
    if tables:
        return [record for table in tables for record in read_table(table)]
    if not results.exists():
        raise StorageError(f"cannot read '{results}': there is no such file or folder")
    if results.is_file() and results.suffix != ".csv":
        raise InvalidArgumentError(
            f"results are a folder or a .csv table, got '{results}'"
        )
    return records_at(results)
