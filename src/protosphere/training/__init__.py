"""Experiments: recipes, runs that survive being killed, sweeps, and the paper's own. Torch comes when a run begins."""

from protosphere.training.recipe import Recipe
from protosphere.training.recipe_files import load_recipe, recipe_names
from protosphere.training.records import RunRecord

__all__ = ["Recipe", "RunRecord", "load_recipe", "recipe_names"]
