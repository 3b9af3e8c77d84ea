"""Convert the records of runs into the form that figures and reports need.

A config holds all settings of a training run. The record of a run holds its config, its status and its results. A store
is a folder of records. A metric is a number that rates a trained network, such as its test accuracy.

A method is a way of training: a scheme or a learned head together with settings. Runs of the same method differ only in
the dimension, the seed and the settings that `paired` chooses by validation accuracy. The digest of a run is a hash of
its settings, which identifies the run.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from protosphere.errors import InvalidArgumentError, StorageError
from protosphere.experiments.config import (
    ALIGNED_MAPPINGS,
    DEFAULTS,
    PROTOTYPE_SETTINGS,
    SAME_SEED,
    SELF_SUPERVISED_SETTINGS,
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
"""Settings whose values a figure shows if they differ between the runs in the figure."""

TUNED = ("lr", "temperature", "objective_options")
"""Settings that `paired` chooses by validation accuracy, so that they are not part of a method's name."""

NOT_IN_METHOD_NAMES = ("dataset", "head", "scheme", "dim", "seed", *TUNED)
"""Settings whose values are never part of the name of a method."""

OFF_AT_ZERO = ("prototype_warmup_epochs", "label_noise", "train_images")
"""Settings that are not in use if their value is 0."""


def trained_runs(records: Iterable[RunRecord]) -> list[Trained]:
    """Return, for each finished run in `records`, the values that figures show.

    The values include a text with those settings of the run that differ between the finished runs.
    """
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


def methods_of(records: list[RunRecord]) -> dict[str, str]:
    """Return a mapping from the digest of each finished run in `records` to the name of its method.

    A method is a way of training: a scheme or a learned head together with settings. A name consists of the scheme or
    the learned head, and of the values of those settings that differ between methods.
    """
    done = [record for record in records if record.status == "done"]
    settings = [name for name in DEFAULTS if name not in NOT_IN_METHOD_NAMES]
    differing = differing_settings([record.config for record in done], settings)
    names: dict[str, str] = {}
    for record in done:
        config = record.config
        parts = (config.series, variant(config, differing))
        names[record.digest] = ", ".join(filter(None, parts))
    return names


def differing_settings(
    configs: Sequence[TrainingConfig], names: Iterable[str]
) -> list[str]:
    """Return the settings among `names` that have different values in different configs.

    Not every config uses every setting. For example, a learned head uses no scheme. The comparison of a setting ignores
    the configs that do not use it.

    Args:
        configs: Configs of runs.
        names: Names of the settings to compare.
    """
    found: list[str] = []
    for name in names:
        values = {
            str(getattr(config, name))
            for config in configs
            if name not in _settings_without_effect(config)
        }
        if len(values) > 1:
            found.append(name)
    return found


def variant(config: TrainingConfig, differing: Iterable[str]) -> str:
    """Return the values of some settings of a config as text, such as "simard, epochs 6".

    A number is preceded by the name of its setting. A setting is left out in each of these cases:

    - Its value is "auto".
    - The config does not use it, for example because it has another kind of head.
    - Its value turns it off, such as a label noise of 0.
    - It is a seed of -1, which stands for the seed of the run.

    Args:
        config: Config of a run.
        differing: Names of the settings to show.
    """
    unused = _unused_or_off(config)
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


def _settings_without_effect(config: TrainingConfig) -> set[str]:
    names: set[str] = set()
    if config.head != "prototypes":
        names.update(PROTOTYPE_SETTINGS)
    if not config.is_self_supervised:
        names.update(SELF_SUPERVISED_SETTINGS)
    if config.has_prototype_per_image:
        names.add("num_prototypes")
    return names


def _unused_or_off(config: TrainingConfig) -> set[str]:
    unused = _settings_without_effect(config)
    # settings that their value turns off
    unused.update(name for name in OFF_AT_ZERO if not getattr(config, name))
    if config.mapping not in ALIGNED_MAPPINGS:
        unused.add("similarity")
    return unused


def counted_runs(count: int) -> str:
    """Return the count of runs as text with the word "run" or "runs".

    >>> counted_runs(1), counted_runs(2)
    ('1 run', '2 runs')
    """
    return "1 run" if count == 1 else f"{count} runs"


def seen(records: Sequence[RunRecord]) -> str:
    """Return the backbones and the counts of epochs that occur in `records`, as text such as "simard, 6 epochs"."""
    networks = sorted({record.config.backbone for record in records})
    epochs = sorted({record.config.epochs for record in records})
    return f"{', '.join(networks)}, {', '.join(map(str, epochs))} epochs"


def metric_label(name: str) -> str:
    """Return the name of a metric as it is shown to users, with spaces in place of underscores.

    >>> metric_label("test_top5_accuracy")
    'test top-5 accuracy'
    """
    return name.replace("_", " ").replace("top5", "top-5")


def is_share(name: str) -> bool:
    """Return whether the metric with this name is a fraction from 0 to 1 that is shown in percent.

    >>> is_share("test_top5_accuracy"), is_share("test_negative_log_likelihood")
    (True, False)
    """
    return name.endswith("accuracy")


def is_count(name: str) -> bool:
    """Return whether the metric with this name counts objects, so that it is shown as an integer.

    >>> is_count("code_antipodal_pairs"), is_count("code_min_cosine")
    (True, False)
    """
    return name.endswith(("_pairs", "_in_use"))


def shown(name: str, value: float) -> str:
    """Return the value of a metric as text.

    Accuracies are written in percent, counts of objects as integers, and other values with four decimal places.

    Args:
        name: Name of the metric, such as 'test_accuracy'.
        value: Value of the metric.

    >>> shown("test_top5_accuracy", 0.976), shown("test_calibration_error", 0.0123)
    ('97.60 %', '0.0123')
    >>> shown("code_antipodal_pairs", 12.0)
    '12'
    """
    if is_share(name):
        return f"{100 * value:.2f} %"
    if is_count(name):
        return f"{value:.0f}"
    return f"{value:.4f}"


def stored_records(results: Path) -> list[RunRecord]:
    """Return the run records in a store, in a CSV table, or in all CSV tables of a folder.

    Args:
        results: Path of a .csv table, of a folder with .csv tables, or of a store. A store is a folder to which `train`
            and `sweep` write.

    Raises:
        StorageError: If the path does not exist, or if a record cannot be read.
        InvalidArgumentError: If the path is a file whose name does not end in .csv.
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


def of_one_dataset(
    records: Sequence[RunRecord], dataset: str | None, store: Path
) -> list[RunRecord]:
    """Return the records of the runs on one dataset.

    Args:
        records: Records of runs on any datasets.
        dataset: Name of the dataset. It may be None if all runs are on the same dataset.
        store: Path of the results, for the error message.

    Raises:
        StorageError: If there are no runs on `dataset`. If `dataset` is None, the error is raised if there are no
            runs, or if the runs are on several datasets.
    """
    names = sorted({record.config.dataset for record in records})
    if not names:
        raise StorageError(f"'{store}' has no runs yet")
    chosen = dataset or names[0]
    if chosen not in names or (dataset is None and len(names) > 1):
        raise StorageError(
            f"'{store}' has runs on {', '.join(names)}; choose one by --dataset"
        )
    return [record for record in records if record.config.dataset == chosen]
