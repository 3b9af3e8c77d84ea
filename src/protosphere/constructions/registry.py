"""The list of constructions: one frozen record each, made by decorating its build function."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from protosphere.assignment.similarity import similarity_text
from protosphere.assignment.taxonomy import taxonomy
from protosphere.errors import InvalidArgumentError, brief
from protosphere.registry import Registry
from protosphere.spherical.placement import Placement
from protosphere.spherical.spherical_code import SphericalCode
from protosphere.types import Cosine

SUPPLIED = ("num_classes", "dim", "seed", "rng", "progress", "chosen")
"""What every build function may ask for by name; its other parameters are the scheme's options."""

Build = Callable[..., Placement | SphericalCode]


def _none(*_: object, **__: object) -> None:
    """Return None: every request is feasible, or no theorem gives a guarantee."""


def orthogonal_or_opposed(*_: object, **__: object) -> Fraction:
    """The guarantee of schemes that have no cosine above 0."""
    return Fraction(0)


@dataclass(frozen=True)
class Construction:
    """One way of placing prototypes.

    Attributes:
        name: what `ps.construct` calls it.
        build: (num_classes, dim, rng, progress, chosen, options...) to a Placement; asks by name for what it needs. One
            that chooses among other constructions hands over a code, certified, with the provenance of what it chose.
        summary: one line for lists.
        reference: where it comes from.
        infeasible_reason: (num_classes, dim, options...) to None, or one sentence: why not, and what would work.
        guarantee: (num_classes, dim, options...) to the promised max cosine, computed without building; None if none.
            It may ask for `chosen` too.
        stochastic: whether the points depend on the seed at the default options.
        packed: whether the points are +-1/sqrt(n) words, kept at one bit per entry where nothing is added to them.
        members: for a family, every code up to a dimension (see `families.Member`), cheaply; else None.
        choose: (num_classes, dim, options...) to what the request leaves open, in words and numbers that name it for
            ever: `build` gets it as `chosen`, and provenance keeps it. None where nothing is open.
        searched: whether points come from a search, which no words give back: codes carry them wherever they go.
        closed_form: whether dense points are closed forms that every machine rounds alike, so that large ones need
            not be carried.
        numbered: whether points are made from their numbers when asked for, and no pair need be measured.
        chooses: whether its points are those of whatever other construction it finds best.
    """

    name: str
    build: Build
    summary: str
    reference: str
    infeasible_reason: Callable[..., str | None] = _none
    guarantee: Callable[..., Cosine | None] = _none
    stochastic: bool = False
    packed: bool = False
    members: Callable[[int], Iterable[Any]] | None = None
    choose: Callable[..., Mapping[str, Any]] | None = None
    searched: bool = False
    closed_form: bool = False
    numbered: bool = False
    chooses: bool = False

    @property
    def options(self) -> dict[str, Any]:
        """The scheme's own options with their defaults."""
        parameters = inspect.signature(self.build).parameters.values()
        return {p.name: p.default for p in parameters if p.name not in SUPPLIED}

    def resolved(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The defaults overlaid with `given`; an option the scheme does not have is refused."""
        for option in given:
            if option not in self.options:
                known = ", ".join(self.options) or "none"
                raise InvalidArgumentError(
                    f"'{self.name}' has no option {brief(option)}; its options are: {known}"
                )
        texts = {
            option: TEXTS[option](value)
            for option, value in given.items()
            if option in TEXTS
        }
        return (
            self.options
            | {option: _plain(value) for option, value in given.items()}
            | texts
        )

    def chosen(
        self, num_classes: int, dim: int, options: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """What the scheme chooses where a request that it can serve leaves something open."""
        return {} if self.choose is None else self.choose(num_classes, dim, **options)

    def promised(
        self,
        num_classes: int,
        dim: int,
        chosen: Mapping[str, Any],
        options: Mapping[str, Any],
    ) -> Cosine | None:
        """The guarantee of what was chosen."""
        return self.guarantee(
            num_classes,
            dim,
            **_asked_for(self.guarantee, {"chosen": chosen}),
            **options,
        )

    def placed(
        self,
        num_classes: int,
        dim: int,
        supplied: Mapping[str, Any],
        options: Mapping[str, Any],
    ) -> Placement | SphericalCode:
        """Call `build` with those of the supplied things it asks for."""
        return self.build(
            num_classes, dim, **_asked_for(self.build, supplied), **options
        )


def _asked_for(
    function: Callable[..., Any], supplied: Mapping[str, Any]
) -> dict[str, Any]:
    wanted = inspect.signature(function).parameters
    return {name: value for name, value in supplied.items() if name in wanted}


def _plain(value: Any) -> Any:
    """numpy's scalars as Python's, and torch's devices as text: provenance is kept as JSON."""
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        return value.item()
    return str(value) if type(value).__module__ == "torch" else value


TEXTS: Mapping[str, Callable[[Any], str]] = {
    "similarity": similarity_text,
    "tree": lambda tree: taxonomy(tree).text,
}
"""Options that provenance keeps as text, whatever they were given as."""


CONSTRUCTIONS: Registry[Construction] = Registry(
    "construction", argument="scheme", listing="ps.available() names them all"
)
"""Every construction by its name."""


def construction(
    *, formerly: str | None = None, **record: Any
) -> Callable[[Build], Build]:
    """Register the decorated build function under its own name, and that which it had `formerly`; each only once.

    `record` is the rest of its `Construction`: summary, reference, and what it is beside the defaults.
    """
    return CONSTRUCTIONS.register(
        lambda build: Construction(build.__name__, build, **record), formerly
    )


def available() -> tuple[str, ...]:
    """The names of all constructions.

    >>> "reed_muller" in available()
    True
    """
    return tuple(CONSTRUCTIONS)


def describe(name: str) -> Construction:
    """The record of one construction, by its name or a former one: its options, summary and reference."""
    return CONSTRUCTIONS.named(name)
