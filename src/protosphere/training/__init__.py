"""Training: recipes, runs that survive being killed, sweeps, and what they leave. Torch comes when a run begins."""

from typing import TYPE_CHECKING, Any

from protosphere.training.recipe import Recipe
from protosphere.training.recipe_files import load_recipe, recipe_names
from protosphere.training.records import RunRecord

if TYPE_CHECKING:
    from protosphere.training.models import load_model

__all__ = ["Recipe", "RunRecord", "load_model", "load_recipe", "recipe_names"]


def __getattr__(name: str) -> Any:
    if name == "load_model":
        from protosphere.training.models import load_model

        return load_model
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
