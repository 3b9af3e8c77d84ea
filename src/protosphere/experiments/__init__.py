"""Training: recipes, runs that survive being killed, sweeps, and what they leave. Torch comes when a run begins."""

from typing import TYPE_CHECKING, Any

from protosphere.experiments.config import Recipe
from protosphere.experiments.config_files import load_recipe, recipe_names
from protosphere.experiments.record import RunRecord

if TYPE_CHECKING:
    from protosphere.experiments.models import load_model

__all__ = ["Recipe", "RunRecord", "load_model", "load_recipe", "recipe_names"]


def __getattr__(name: str) -> Any:
    if name == "load_model":
        from protosphere.experiments.models import load_model

        return load_model
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
