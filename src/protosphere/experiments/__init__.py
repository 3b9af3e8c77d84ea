"""Experiments: recipes, runs that survive being killed, sweeps, and the paper's own. Torch comes when a run begins."""

from protosphere.experiments.recipe import Recipe
from protosphere.experiments.recipe_files import load_recipe, recipe_names
from protosphere.experiments.records import RunRecord

__all__ = ["Recipe", "RunRecord", "load_recipe", "recipe_names"]
