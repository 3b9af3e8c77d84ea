"""What is kept of a run: its recipe, how it ended, and the figures; as JSON, and as a row of a table."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from protosphere.errors import StorageError
from protosphere.training.recipe import Recipe, recipe_from

STATUSES = ("done", "infeasible", "failed")


@dataclass(frozen=True)
class RunRecord:
    """How one run ended.

    Attributes:
        recipe: what was run.
        status: `done`; `infeasible`, the scheme has no such code; or `failed`.
        reason: why not done, in one sentence.
        test_accuracy, validation_accuracy, loss: after the last epoch.
        max_cosine, converse: of the prototypes, and what no arrangement can be below.
        images_per_second, seconds: of training over all epochs.
        weights: the digest of the final weights.
        data: the digest of the dataset.
        version: of protosphere, and of torch.
    """

    recipe: Recipe
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

    @property
    def digest(self) -> str:
        """Of the recipe."""
        return self.recipe.digest

    def to_json(self) -> str:
        """One JSON document."""
        return json.dumps({"digest": self.digest} | asdict(self), indent=1, allow_nan=False) + "\n"

    def row(self) -> dict[str, Any]:
        """One flat row: the digest, the figures, then every setting of the recipe."""
        figures = {each.name: getattr(self, each.name) for each in fields(self) if each.name != "recipe"}
        settings = self.recipe.record()
        settings["options"] = json.dumps(settings["options"], sort_keys=True)
        return {"digest": self.digest} | figures | settings


def record_from(content: Mapping[str, Any], where: str) -> RunRecord:
    """The record in a JSON document; StorageError where its digest is not that of its recipe."""
    try:
        given: dict[str, Any] = dict(content)
        digest, recipe = given.pop("digest"), recipe_from(given.pop("recipe"))
        record = RunRecord(recipe, **given)
    except (KeyError, TypeError, ValueError) as error:
        raise StorageError(f"'{where}' is not the record of a run: {error}") from error
    if record.digest != digest or record.status not in STATUSES:
        raise StorageError(f"'{where}' was changed by hand: its digest is {digest}, that of its recipe {record.digest}")
    return record


def record_from_row(row: Mapping[str, str], where: str) -> RunRecord:
    """The record in a row of a CSV file that `RunRecord.row` made."""
    settings = {each.name: _parsed(row.get(each.name, ""), each.type) for each in fields(Recipe)}
    settings = {name: value for name, value in settings.items() if value is not None}
    figures = {
        each.name: _parsed(row.get(each.name, ""), each.type) for each in fields(RunRecord) if each.name != "recipe"
    }
    return record_from({"digest": row.get("digest"), "recipe": settings} | figures, where)


def _parsed(text: str, kind: Any) -> Any:
    """A cell as its field's type says; an empty one is None."""
    if text == "":
        return None
    if "Mapping" in kind:
        return json.loads(text)
    if "bool" in kind:
        return text == "True"
    if "float" in kind:
        return float(text)
    return int(text) if "int" in kind else text
