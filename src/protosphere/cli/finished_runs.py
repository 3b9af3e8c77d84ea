"""Records of runs as figures and reports want them."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from protosphere.errors import InvalidArgumentError, StorageError
from protosphere.experiments.config import ALIGNED, OF_PROTOTYPES, TrainingConfig
from protosphere.experiments.record import RunRecord
from protosphere.experiments.store import read_table, records_at
from protosphere.plots.accuracy import Trained

TOLD_APART = (
    *(
        "similarity",
        "rehearsal",
        "reassignment",
        "backbone",
        "preset",
        "loss",
        "scale",
        "margin",
        "optimizer",
        "lr",
    ),
    *("epochs", "train_images", "label_noise", "options"),
)
"""Settings that a figure names where runs differ in them."""

WITHOUT = ("rehearsal", "reassignment", "label_noise", "train_images")
"""Those of which a run may have none."""


def trained_runs(records: Iterable[RunRecord]) -> list[Trained]:
    """The finished runs."""
    done = [
        (r.config, r.max_cosine, r.test_accuracy)
        for r in records
        if r.test_accuracy is not None
    ]
    differing = [
        name
        for name in TOLD_APART
        if len({str(getattr(config, name)) for config, *_ in done}) > 1
    ]
    return [
        Trained(
            r.series, r.dim, r.mapping, r.seed, cosine, accuracy, variant(r, differing)
        )
        for r, cosine, accuracy in done
    ]


def variant(config: TrainingConfig, differing: Iterable[str]) -> str:
    """What a run has of the settings that runs differ in, without what it has no use for or leaves to a rule."""
    absent = {name for name in WITHOUT if not getattr(config, name)}
    absent |= set() if config.mapping in ALIGNED else {"similarity"}
    absent |= set() if config.head == "prototypes" else set(OF_PROTOTYPES)
    words: list[str] = []
    for name in differing:
        value = getattr(config, name)
        if name in absent or value in ("auto", -1):
            continue
        if name == "options":
            words += [f"{key} {option}" for key, option in value.items()]
        else:
            words.append(
                str(value)
                if isinstance(value, str)
                else f"{name.replace('_', ' ')} {value:g}"
            )
    return ", ".join(words)


def seen(records: Sequence[RunRecord]) -> str:
    """Network and length of the runs, for a title."""
    networks = sorted({record.config.backbone for record in records})
    epochs = sorted({record.config.epochs for record in records})
    return f"{', '.join(networks)}, {', '.join(map(str, epochs))} epochs"


def words(name: str) -> str:
    """The name of a metric, for people.

    >>> words("test_top5_accuracy")
    'test top-5 accuracy'
    """
    return name.replace("_", " ").replace("top5", "top-5")


def is_share(name: str) -> bool:
    """Whether people read a metric in percent.

    >>> is_share("test_top5_accuracy"), is_share("test_negative_log_likelihood")
    (True, False)
    """
    return name.endswith("accuracy")


def shown(name: str, value: float) -> str:
    """The value of a metric, for people.

    >>> shown("test_top5_accuracy", 0.976), shown("test_calibration_error", 0.0123)
    ('97.60 %', '0.0123')
    """
    return f"{100 * value:.2f} %" if is_share(name) else f"{value:.4f}"


def stored_records(results: Path) -> list[RunRecord]:
    """The records of every table in a folder, of one table, or of a store."""
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
