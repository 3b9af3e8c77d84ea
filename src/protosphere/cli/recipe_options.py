"""Every setting of a recipe as a flag, and the recipe that flags and a file come to together."""

import tomllib
from dataclasses import asdict, dataclass
from typing import Annotated, Any, Literal

import numpy as np
from cyclopts import Group, Parameter

from protosphere.assignment.similarity import similarity_text
from protosphere.cli.arguments import Whole
from protosphere.constructions import describe
from protosphere.data import dataset_facts
from protosphere.errors import InfeasibleError, InvalidArgumentError, brief
from protosphere.training.recipe import ALIGNED, Recipe
from protosphere.training.recipe_files import default_dim, default_recipe, load_recipe


@dataclass(frozen=True)
class RecipeOptions:
    """The settings of a recipe; None where not given, so that the recipe's own holds.

    Attributes:
        head: Fixed prototypes, a learned last layer (linear), or a learned layer after --dim numbers (bottleneck).
        scheme: A scheme that `protosphere list` shows.
        dim: The dimension n of the prototypes; by default about the number of classes.
        mapping: Class i gets point i, or one by the seed; or similar classes get near (align) or distant (oppose) ones.
        similarity: For those two, of classes: seen, logits or learned, by the training examples, a tree such as
            cifar100_levels, or a .csv file of vectors.
        rehearsal: Epochs over which prototypes move with the network before they are fixed and training begins anew.
        reassignment: Between so many of the first epochs classes get the prototypes that their examples come near.
        preset: How z becomes logits: soft_cap, protosphere, lindstrom, kasarla or mettes.
        loss: auto for the preset's own, or e.g. cosine_cross_entropy or additive_angular_margin.
        margin: Of the losses that have one.
        scale: Of the logits: auto, learn, or a number.
        seed: Of the prototypes, the split, the weights, the order and the augmentation.
        prototype_seed: Of the prototypes and their mapping alone.
        split_seed: Of the split alone.
        backbone: simard, small, resnet18, resnet34; linear or mlp(512) for features; or package.module.Network.
        epochs: How often every training example is seen.
        batch_size: Examples at a time, over all devices.
        optimiser: SGD with momentum, or AdamW.
        lr: The learning rate at the start.
        momentum: Of the descent.
        weight_decay: Of the descent.
        schedule: Of the learning rate.
        warmup: Epochs over which the rate rises to its value, e.g. 0.5.
        validation: The share of the training examples kept apart.
        augment_validation: Augment those too, as the authors' programs do.
        pad: Crop from the image padded by so many pixels.
        flip: Mirror half of the images.
        rotation_degrees: Rotate by up to so many degrees.
        precision: Numbers of the network.
        threads: Of the processor; 0 for as many as there are.
        train_images: Use so many training examples only; 0 for all.
        label_noise: The share of the training examples that get another class's label.
        modify: Let the scheme's code be shortened, extended and punctured to the dimension.
        option: Another option of the scheme, as KEY=VALUE; may be given several times.
    """

    head: Literal["prototypes", "linear", "bottleneck"] | None = None
    scheme: str | None = None
    dim: Annotated[Whole | None, Parameter(name=("--dim", "-n"))] = None
    mapping: Literal["fixed", "random", "align", "oppose"] | None = None
    similarity: str | None = None
    rehearsal: Whole | None = None
    reassignment: Whole | None = None
    preset: str | None = None
    loss: str | None = None
    margin: float | None = None
    scale: str | None = None
    seed: Whole | None = None
    prototype_seed: Whole | None = None
    split_seed: Whole | None = None
    backbone: str | None = None
    epochs: Whole | None = None
    batch_size: Whole | None = None
    optimiser: Literal["sgd", "adamw"] | None = None
    lr: float | None = None
    momentum: float | None = None
    weight_decay: float | None = None
    schedule: Literal["cosine", "constant"] | None = None
    warmup: float | None = None
    validation: float | None = None
    augment_validation: Annotated[bool | None, Parameter(negative="--no-augment-validation")] = None
    pad: Whole | None = None
    flip: Annotated[bool | None, Parameter(negative="--no-flip")] = None
    rotation_degrees: float | None = None
    precision: str | None = None
    threads: Whole | None = None
    train_images: Whole | None = None
    label_noise: float | None = None
    modify: bool | None = None
    option: list[str] | None = None

    def given(self) -> dict[str, Any]:
        """Those that were given; those of the scheme in a mapping of their own."""
        flags = {name: value for name, value in asdict(self).items() if value is not None}
        if "scale" in flags:
            flags["scale"] = parsed_scale(flags["scale"])
        options = dict(parsed_option(text) for text in flags.pop("option", ()))
        if flags.pop("modify", False):
            options["modify"] = True
        return flags | ({"options": options} if options else {})


def parsed_scale(text: str) -> float | str:
    """A number where it is one, else the word.

    >>> parsed_scale("16"), parsed_scale("learn")
    (16.0, 'learn')
    """
    try:
        return float(text)
    except ValueError:
        return text


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
    if recipe is None:
        recipe = default_recipe(dataset or "digits")
    base = load_recipe(recipe)
    facts = dataset_facts(dataset or base.dataset)
    base = base.changed(dataset=dataset or base.dataset, **given)
    if base.head == "linear" and "dim" not in given:
        return base.changed(dim=facts.num_classes)
    design = designed_for(base, facts.num_classes)
    if "dim" not in given:
        base = base.changed(dim=default_dim(base.scheme, facts.num_classes, design))
    if base.head == "prototypes":
        entry = describe(base.scheme)
        obstacle = entry.obstacle(facts.num_classes, base.dim, **entry.resolved(design))
        if obstacle:
            raise InfeasibleError(obstacle)
    return base


def designed_for(recipe: Recipe, num_classes: int) -> dict[str, Any]:
    """The scheme's options, with a stand-in for the similarity that it is designed for and training finds."""
    if recipe.mapping not in ALIGNED or "similarity" not in describe(recipe.scheme).options:
        return dict(recipe.options)
    return {"similarity": similarity_text(np.eye(num_classes))} | dict(recipe.options)
