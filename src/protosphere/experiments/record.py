"""`RunRecord`: the config, status and results of a run. A record can be written as JSON or as a row of a table.

A config holds all settings of a run. The digest of a config is a hash of these settings, which identifies the run.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from sys import float_info
from typing import Any

from protosphere.errors import StorageError, brief
from protosphere.experiments.config import DECLARED, TrainingConfig, config_from

STATUSES = ("done", "infeasible", "failed")
METRIC_PREFIXES = ("test_", "validation_", "code_")

COLUMNS = {"loss": "loss_function"}
"""Mapping from a setting to its column in a table, for settings whose column has another name than the setting.

The setting `loss` is in the column `loss_function`, because the column `loss` has the training loss of the last epoch.
"""


@dataclass(frozen=True)
class RunRecord:
    """Config, status and results of one run.

    If the run is not done, the attributes from `test_accuracy` to `weights` are None, and `metrics` is empty.

    Attributes:
        config: Settings of the run: dataset, backbone, scheme, loss and optimization.
        status: "done", "infeasible" (the scheme has no code of K points in R^n), or "failed".
        reason: Reason in one sentence if the run is infeasible or failed; otherwise None.
        test_accuracy: Accuracy on the test examples after the last epoch, from 0 to 1. In self-supervised runs, this is
            the accuracy of a vote of nearest neighbors.
        validation_accuracy: Accuracy on the held-out examples after the last epoch; None if there are none.
        loss: Mean training loss of the last epoch.
        max_cosine: Maximum cosine of the prototypes; None for learned heads.
        converse: Proved lower bound on the maximum cosine of any K points in R^n; None for learned heads.
        images_per_second: Number of training examples per second during training, without evaluation.
        seconds: Time of training in seconds over all epochs, without evaluation.
        weights: SHA-256 digest of the trained weights.
        data: SHA-256 digest of the examples and labels of the dataset.
        version: Versions of protosphere and torch with which the run was done, in one text.
        metrics: Other metrics after the last epoch, such as `test_top5_accuracy`, and statistics of the prototypes,
            such as `code_energy`. The value of a metric that is not finite is None.

    Example:
        >>> from protosphere.experiments import RunRecord, TrainingConfig
        >>> RunRecord(TrainingConfig(dataset="digits", scheme="simplex", dim=9), status="failed", reason="none").status
        'failed'
    """

    config: TrainingConfig
    status: str
    reason: str | None = None
    test_accuracy: float | None = None
    validation_accuracy: float | None = None
    loss: float | None = None
    max_cosine: float | None = None
    converse: float | None = None
    images_per_second: float | None = None
    seconds: float | None = None
    weights: str | None = None
    data: str | None = None
    version: str | None = None
    metrics: Mapping[str, float | None] = field(default_factory=dict[str, float | None])

    @property
    def digest(self) -> str:
        """Digest of the config: a hash of its settings, as a text that identifies the run."""
        return self.config.digest

    def to_json(self) -> str:
        """Return the record as the text of a JSON document."""
        content = {"digest": self.digest} | asdict(self)
        return json.dumps(content, indent=1, allow_nan=False) + "\n"

    def row(self) -> dict[str, Any]:
        """Return the record as a row of a table, a mapping from the names of the columns to the values.

        The columns are the digest, the results, the settings of the config, and then the other metrics.
        """
        figures = {name: getattr(self, name) for name in FIGURES}
        settings: dict[str, Any] = {}
        for name, value in self.config.record().items():
            column = COLUMNS.get(name, name)
            if isinstance(value, dict):
                settings[column] = json.dumps(value, sort_keys=True)
            else:
                settings[column] = value
        return {"digest": self.digest} | figures | settings | dict(self.metrics)


FIGURES = {
    each.name: str(each.type)
    for each in fields(RunRecord)
    if each.name not in ("config", "metrics")
}


def record_from(content: Mapping[str, Any], where: str) -> RunRecord:
    """Return the record that a parsed JSON document contains.

    Args:
        content: The parsed document.
        where: Name of the file that contains the document, for the error message.

    Raises:
        StorageError: If the document is not a record, if its status is unknown, or if its digest is not the digest of
            its config.
    """
    try:
        given: dict[str, Any] = dict(content)
        digest = given.pop("digest")
        config = config_from(given.pop("config"))
        _check_values(given)
        record = RunRecord(config, **given)
    except (KeyError, TypeError, ValueError) as error:
        raise StorageError(f"'{where}' is not the record of a run: {error}") from error
    if record.digest != digest or record.status not in STATUSES:
        raise StorageError(
            f"'{where}' was changed by hand: its digest is {digest}, that of its config {record.digest}"
        )
    return record


def _check_values(given: Mapping[str, Any]) -> None:
    metrics: Any = given.get("metrics", {})
    if type(metrics) is not dict:
        raise ValueError(
            f"metrics must be numbers with their names, got {brief(metrics)}"
        )
    numbers = {
        name: value for name, value in given.items() if "float" in FIGURES.get(name, "")
    }
    figures: dict[str, Any] = {**numbers, **metrics}
    for name, value in figures.items():
        if value is not None and not _is_finite(value):
            raise ValueError(f"{name} must be a finite number, got {brief(value)}")
    for name in ("status", "reason", "weights", "data", "version"):
        if not isinstance(given.get(name), (str, type(None))):
            raise ValueError(f"{name} must be a text, got {brief(given[name])}")


def _is_finite(value: Any) -> bool:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return is_number and abs(value) <= float_info.max


def record_from_row(row: Mapping[str, str], where: str) -> RunRecord:
    """Return the record in a row of a CSV file, which has the columns that `RunRecord.row` returns.

    These columns are the digest of the config, the results, the settings of the config, and other metrics. If the file
    has no column for a setting, the setting has its default.

    Args:
        row: Texts of the row by the names of the columns.
        where: Name of the file and the line, for the error message.

    Raises:
        StorageError: If the row is not a record, or if its digest is not the digest of its config.
    """
    if not row.get("digest"):
        raise StorageError(f"'{where}' is not the record of a run: it has no digest")
    try:
        content = _json_content_of_row(row)
    except (ValueError, RecursionError) as error:
        raise StorageError(
            f"'{where}' is not the record of a run: {brief(str(error))}"
        ) from error
    return record_from(content, where)


def _json_content_of_row(row: Mapping[str, str]) -> dict[str, Any]:
    config: dict[str, Any] = {}
    for name, (kind, _) in DECLARED.items():
        value = _parsed(row.get(COLUMNS.get(name, name)), kind)
        if value is not None:
            config[name] = value
    figures = {name: _parsed(row.get(name), kind) for name, kind in FIGURES.items()}
    metrics = {
        name: _parsed(text, "float")
        for name, text in row.items()
        if name.startswith(METRIC_PREFIXES) and text and name not in FIGURES
    }
    return {
        "digest": row["digest"],
        "config": config,
        "metrics": metrics,
        **figures,
    }


def _parsed(text: str | None, kind: str) -> Any:
    # `kind` is a type annotation, such as "float | None"
    if text is None or text == "":
        return None
    if kind.startswith("Mapping"):
        return json.loads(text)
    if "bool" in kind:
        return text == "True"
    if kind == "float | str" and text in ("auto", "learn"):
        return text
    if "float" in kind:
        return float(text)
    if "int" in kind:
        return int(text)
    return text
