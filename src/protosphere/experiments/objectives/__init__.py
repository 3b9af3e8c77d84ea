"""Objectives of self-supervised training. `OBJECTIVES` maps the name of each objective to the objective."""

from protosphere.experiments.objectives import (
    dino as dino,
)  # importing each module registers its objective
from protosphere.experiments.objectives import swav as swav
from protosphere.experiments.objectives import targets_per_image as targets_per_image
from protosphere.experiments.objectives.registry import OBJECTIVES as OBJECTIVES
from protosphere.experiments.objectives.registry import (
    ObjectiveHead as ObjectiveHead,
)
from protosphere.experiments.objectives.registry import (
    SelfSupervisedObjective as SelfSupervisedObjective,
)
from protosphere.experiments.objectives.registry import check_options as check_options
from protosphere.experiments.objectives.registry import objective as objective
