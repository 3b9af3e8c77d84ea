"""Every setting of a recipe as a flag, and the recipe that flags and a file come to together."""

from __future__ import annotations

import tomllib
from dataclasses import asdict, dataclass
from typing import Annotated, Any, Literal

from cyclopts import Group, Parameter

from protosphere.cli.arguments import Whole
from protosphere.constructions import describe
from protosphere.data import NUM_CLASSES, load_dataset
from protosphere.errors import InfeasibleError, InvalidArgumentError, brief
from protosphere.training.recipe import Recipe
from protosphere.training.recipe_files import default_dim, default_recipe, load_recipe


@dataclass(frozen=True)
class RecipeOptions:
    """The settings of a recipe; None where not given, so that the recipe's own holds.

    Attributes:
        scheme: A scheme that `protosphere list` shows.
        dim: The dimension n of the prototypes; by default about the number of classes.
        mapping: Whether class i gets point i, or one by the seed.
        seed: Of the prototypes, the split, the weights, the order and the augmentation.
        backbone: simard, small, resnet18, resnet34, or package.module.Network.
        objective: Cross-entropy on z.c (lindstrom), or (1 - cos)^2 (mettes).
        epochs: How often every training image is seen.
        batch_size: Images at a time, over all devices.
        lr: The learning rate at the start.
        momentum: Of the descent.
        weight_decay: Of the descent.
        schedule: Of the learning rate.
        validation: The share of the training images kept apart.
        augment_validation: Augment those too, as the authors' programs do.
        pad: Crop from the image padded by so many pixels.
        flip: Mirror half of the images.
        rotation_degrees: Rotate by up to so many degrees.
        precision: Numbers of the network.
        threads: Of the processor; 0 for as many as there are.
        train_images: Use so many training images only; 0 for all.
        modify: Let the scheme's code be shortened, extended and punctured to the dimension.
        option: Another option of the scheme, as KEY=VALUE; may be given several times.
    """

    scheme: str | None = None
    dim: Annotated[Whole | None, Parameter(name=("--dim", "-n"))] = None
    mapping: Literal["fixed", "random"] | None = None
    seed: Whole | None = None
    backbone: str | None = None
    objective: Literal["lindstrom", "mettes"] | None = None
    epochs: Whole | None = None
    batch_size: Whole | None = None
    lr: float | None = None
    momentum: float | None = None
    weight_decay: float | None = None
    schedule: Literal["cosine", "constant"] | None = None
    validation: float | None = None
    augment_validation: Annotated[bool | None, Parameter(negative="--no-augment-validation")] = None
    pad: Whole | None = None
    flip: Annotated[bool | None, Parameter(negative="--no-flip")] = None
    rotation_degrees: float | None = None
    precision: str | None = None
    threads: Whole | None = None
    train_images: Whole | None = None
    modify: bool | None = None
    option: list[str] | None = None

    def given(self) -> dict[str, Any]:
        """Those that were given; those of the scheme in a mapping of their own."""
        flags = {name: value for name, value in asdict(self).items() if value is not None}
        options = dict(parsed_option(text) for text in flags.pop("option", ()))
        if flags.pop("modify", False):
            options["modify"] = True
        return flags | ({"options": options} if options else {})


def parsed_option(text: str) -> tuple[str, Any]:
    """A key and its value, read as TOML reads it, or else as a text.

    >>> parsed_option("steps=200"), parsed_option("subset=greedy")
    (('steps', 200), ('subset', 'greedy'))
    """
    key, equals, value = text.partition("=")
    if not equals:
        raise InvalidArgumentError(f"'--option' must be like KEY=VALUE, got {brief(text)}")
    try:
        return key, tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return key, value


NOTHING = RecipeOptions()
Settings = Annotated[RecipeOptions, Parameter(name="*", negative="", group=Group("Settings of the recipe", sort_key=1))]


def resolved(dataset: str | None, recipe: str | None, options: RecipeOptions) -> Recipe:
    """The recipe of that name, or the dataset's quick one, with what was given in place of its own.

    InfeasibleError where the scheme has no such code: asked before any image is read.
    """
    given = options.given()
    base = load_recipe(recipe or default_recipe(dataset or "digits"))
    base = base.changed(dataset=dataset or base.dataset, **given)
    K = NUM_CLASSES[base.dataset] if base.dataset in NUM_CLASSES else load_dataset(base.dataset).num_classes
    if "dim" not in given:
        base = base.changed(dim=default_dim(base.scheme, K))
    entry = describe(base.scheme)
    obstacle = entry.obstacle(K, base.dim, **entry.resolved(base.options))
    if obstacle:
        raise InfeasibleError(obstacle)
    return base
