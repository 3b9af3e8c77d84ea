"""What is kept of a run: its config, how it ended, and the figures; as JSON, and as a row of a table."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from sys import float_info
from typing import Any

from protosphere.errors import StorageError, brief
from protosphere.experiments.config import TrainingConfig, config_from

STATUSES = ("done", "infeasible", "failed")
SETS = ("test_", "validation_", "code_")
"""What the names of metrics begin with."""

COLUMNS = {"loss": "loss_function"}
"""Settings that a table calls by another name: its column `loss` is what the training loss came to."""


@dataclass(frozen=True)
class RunRecord:
    """How one run ended.

    Attributes:
        config: what was run.
        status: `done`; `infeasible`, the scheme has no such code; or `failed`.
        reason: why not done, in one sentence.
        test_accuracy, validation_accuracy, loss: after the last epoch.
        max_cosine, converse: of the prototypes, and what no arrangement can be below.
        images_per_second, seconds: of training over all epochs.
        weights: the digest of the final weights.
        data: the digest of the dataset.
        version: of protosphere, and of torch.
        metrics: every other metric after the last epoch, `test_top5_accuracy` and its like, and numbers of
            the prototypes, `code_energy` and its like; None where not finite.
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
        """Of the config."""
        return self.config.digest

    def to_json(self) -> str:
        """One JSON document."""
        return (
            json.dumps(
                {"digest": self.digest} | asdict(self), indent=1, allow_nan=False
            )
            + "\n"
        )

    def row(self) -> dict[str, Any]:
        """One flat row: the digest, the figures, every setting of the config, then the other metrics."""
        figures = {name: getattr(self, name) for name in FIGURES}
        settings = {
            COLUMNS.get(name, name): value
            for name, value in self.config.record().items()
        }
        settings["options"] = json.dumps(settings["options"], sort_keys=True)
        return {"digest": self.digest} | figures | settings | dict(self.metrics)


FIGURES = {
    each.name: str(each.type)
    for each in fields(RunRecord)
    if each.name not in ("config", "metrics")
}


def record_from(content: Mapping[str, Any], where: str) -> RunRecord:
    """The record in a JSON document; StorageError where its digest is not that of its config."""
    try:
        given: dict[str, Any] = dict(content)
        digest = given.pop("digest")
        config = config_from(given.pop("config"))
        _check_figures(given)
        record = RunRecord(config, **given)
    except (KeyError, TypeError, ValueError) as error:
        raise StorageError(f"'{where}' is not the record of a run: {error}") from error
    if record.digest != digest or record.status not in STATUSES:
        raise StorageError(
            f"'{where}' was changed by hand: its digest is {digest}, that of its config {record.digest}"
        )
    return record


def _check_figures(given: Mapping[str, Any]) -> None:
    """ValueError where a figure is no number, or a word no text: a file may hold anything."""
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
        number = (
            isinstance(value, (int, float))
            and not isinstance(value, bool)
            and abs(value) <= float_info.max
        )
        if value is not None and not number:
            raise ValueError(f"{name} must be a finite number, got {brief(value)}")
    for name in ("status", "reason", "weights", "data", "version"):
        if not isinstance(given.get(name), (str, type(None))):
            raise ValueError(f"{name} must be a text, got {brief(given[name])}")


def record_from_row(row: Mapping[str, str], where: str) -> RunRecord:
    """The record in a row of a CSV file that `RunRecord.row` made, in this version or an earlier one."""
    if not row.get("digest"):
        raise StorageError(f"'{where}' is not the record of a run: it has no digest")
    kinds = {each.name: each.type for each in fields(TrainingConfig)} | {
        "objective": "str"
    }
    try:
        settings = {
            name: _parsed(row.get(COLUMNS.get(name, name)), kind)
            for name, kind in kinds.items()
        }
        figures = {name: _parsed(row.get(name), kind) for name, kind in FIGURES.items()}
        metrics = {
            name: _parsed(text, "float")
            for name, text in row.items()
            if name.startswith(SETS) and text
        }
    except (ValueError, RecursionError) as error:
        raise StorageError(
            f"'{where}' is not the record of a run: {brief(str(error))}"
        ) from error
    content = {
        "config": {name: value for name, value in settings.items() if value is not None}
    } | figures
    others = {name: value for name, value in metrics.items() if name not in FIGURES}
    return record_from(
        {"digest": row.get("digest"), "metrics": others} | content, where
    )


def _parsed(text: str | None, kind: Any) -> Any:
    """A cell as its field's type says; an empty one is None."""
    if text is None or text == "":
        return None
    if "Mapping" in kind:
        return json.loads(text)
    if "bool" in kind:
        return text == "True"
    if "float" in kind:
        return text if "str" in kind and text in ("auto", "learn") else float(text)
    return int(text) if "int" in kind else text
