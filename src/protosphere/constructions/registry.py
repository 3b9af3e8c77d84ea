"""Registry of constructions.

The decorator `construction` adds a function that places points to the registry. The registry stores an immutable record
for each function, a `Construction`. A request consists of a number of points, a dimension and options.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from protosphere.assignment.part_table import part_table
from protosphere.assignment.similarity import similarity_text
from protosphere.assignment.taxonomy import taxonomy
from protosphere.constructions.traits import NO_TRAITS, Traits
from protosphere.errors import InvalidArgumentError, brief
from protosphere.registry import Registry
from protosphere.spherical.placement import Placement
from protosphere.spherical.spherical_code import SphericalCode
from protosphere.types import Cosine

SUPPLIED = ("num_classes", "dim", "seed", "rng", "progress", "chosen")
"""Parameters of build functions that the package supplies; all other parameters are options of the construction."""

Build = Callable[..., Placement | SphericalCode]
"""Function (num_classes, dim, seed, rng, progress, chosen, options...) that returns points, or a certified code."""

InfeasibleReason = Callable[..., str | None]
"""Function (num_classes, dim, options...) that returns None for a feasible request.

For any other request it returns a sentence that says why the request is infeasible and what would work.
"""

Guarantee = Callable[..., Cosine | None]
"""Function (num_classes, dim, options...) that returns a proved upper bound on the maximum cosine, or None."""

Choose = Callable[..., Mapping[str, Any]]
"""Function (num_classes, dim, options...) that returns the parameters that the request leaves open, by name."""


def always_feasible(*_: object, **__: object) -> None:
    """Return None, which means that every number of points in every dimension is feasible."""


def no_guarantee(*_: object, **__: object) -> None:
    """Return None, which means that no theorem bounds the maximum cosine."""


def orthogonal_or_antipodal(*_: object, **__: object) -> Fraction:
    """Return 0, an upper bound on the maximum cosine of schemes that have no positive cosine."""
    return Fraction(0)


@dataclass(frozen=True)
class Construction:
    """A method of placing prototypes on the sphere.

    A request for a code consists of the number of points K, the dimension n and the options of the construction.

    Attributes:
        name: Name that `ps.construct` takes.
        build: Function that places the points. It gets the options, and those of the arguments `num_classes`, `dim`,
            `seed`, `rng`, `progress` and `chosen` that are among its parameters. A construction that chooses among
            other constructions returns a certified code with the provenance of the chosen construction.
        summary: One line that describes the construction in lists.
        reference: Publication of the construction.
        infeasible_reason: Function that says why a request is infeasible and what would work, or returns None if the
            request is feasible.
        guarantee: Function that returns a proved upper bound on the maximum cosine, or None if no theorem gives one. It
            does not build the points. If it has the parameter `chosen`, it gets the parameters that `choose` returned.
        members: For a family of codes, a function that takes the largest dimension and returns all codes of the family
            up to this dimension. None for other constructions.
        choose: Function that returns the parameters that a request leaves open, such as the member of a family. `build`
            gets them as `chosen`. Provenance stores them, so their names and values must keep their meaning in later
            versions. None if a request leaves nothing open.
        traits: Properties that decide how other parts of the package treat the construction.

    Example:
        >>> describe("simplex").summary
        'regular simplex with all cosines -1/(K-1), the optimum for n >= K-1'
    """

    name: str
    build: Build
    summary: str
    reference: str
    infeasible_reason: InfeasibleReason = always_feasible
    guarantee: Guarantee = no_guarantee
    members: Callable[[int], Iterable[Any]] | None = None
    choose: Choose | None = None
    traits: Traits = NO_TRAITS

    @property
    def options(self) -> dict[str, Any]:
        """Names and default values of the options of the construction."""
        parameters = inspect.signature(self.build).parameters.values()
        return {p.name: p.default for p in parameters if p.name not in SUPPLIED}

    def resolved(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of all options: those in `given`, and the default values of the other options.

        Args:
            given: Options as a user wrote them.

        Returns:
            All options of the construction by name, in the form in which the provenance of a code stores them: a
            similarity, tree or table as text, and numbers as Python numbers.

        Raises:
            InvalidArgumentError: If `given` has an option that the construction does not have.
        """
        defaults = self.options
        for option in given:
            if option not in defaults:
                known = ", ".join(defaults) or "none"
                raise InvalidArgumentError(
                    f"'{self.name}' has no option {brief(option)}; its options are: {known}"
                )
        written = {
            option: _as_provenance_stores_it(option, value)
            for option, value in given.items()
        }
        return defaults | written

    def chosen(
        self, num_classes: int, dim: int, options: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """Choose the parameters that a feasible request leaves open, such as the member of a family.

        Args:
            num_classes: Number K of points.
            dim: Dimension n.
            options: Values of all options of the construction, by name.

        Returns:
            Mapping from the name of each parameter to its value; empty if the request leaves nothing open.
        """
        if self.choose is None:
            return {}
        return self.choose(num_classes, dim, **options)

    def promised(
        self,
        num_classes: int,
        dim: int,
        chosen: Mapping[str, Any],
        options: Mapping[str, Any],
    ) -> Cosine | None:
        """Return a proved upper bound on the maximum cosine of the code for a request, or None if no theorem gives one.

        Args:
            num_classes: Number K of points.
            dim: Dimension n.
            chosen: Parameters that the request leaves open, as the method `chosen` returns them.
            options: Values of all options of the construction, by name.
        """
        supplied = _asked_for(self.guarantee, {"chosen": chosen})
        return self.guarantee(num_classes, dim, **supplied, **options)

    def placed(
        self,
        num_classes: int,
        dim: int,
        supplied: Mapping[str, Any],
        options: Mapping[str, Any],
    ) -> Placement | SphericalCode:
        """Place the points by calling `build` with the options and with those arguments in `supplied` that it takes.

        Args:
            num_classes: Number K of points.
            dim: Dimension n.
            supplied: Values of the arguments that the package supplies, by name: `seed`, `rng`, `progress` and
                `chosen`.
            options: Values of all options of the construction, by name.

        Returns:
            The points, or a certified code if the construction chooses among other constructions.
        """
        wanted = _asked_for(self.build, supplied)
        return self.build(num_classes, dim, **wanted, **options)


def _asked_for(
    function: Callable[..., Any], supplied: Mapping[str, Any]
) -> dict[str, Any]:
    wanted = inspect.signature(function).parameters
    return {name: value for name, value in supplied.items() if name in wanted}


def _as_provenance_stores_it(option: str, value: Any) -> Any:
    if option in TEXTS:
        return TEXTS[option](value)
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        return value.item()
    if type(value).__module__ == "torch":
        return str(value)
    return value


TEXTS: Mapping[str, Callable[[Any], str]] = {
    "similarity": similarity_text,
    "tree": lambda tree: taxonomy(tree).text,
    "table": lambda table: part_table(table).text if table else "",
}
"""Options that provenance stores as text, and the function that converts the value of each option to text."""


CONSTRUCTIONS: Registry[Construction] = Registry(
    "construction", argument="scheme", listing="ps.available() names them all"
)
"""Registry of all constructions by name."""


def construction(
    *,
    summary: str,
    reference: str,
    infeasible_reason: InfeasibleReason = always_feasible,
    guarantee: Guarantee = no_guarantee,
    members: Callable[[int], Iterable[Any]] | None = None,
    choose: Choose | None = None,
    traits: Traits = NO_TRAITS,
) -> Callable[[Build], Build]:
    """Register the decorated build function as a construction, which gets the name of the function.

    A request for a code consists of the number of points K, the dimension n and the options of the construction.

    Args:
        summary: One line that describes the construction in lists.
        reference: Publication of the construction.
        infeasible_reason: Function of a request that says why the request is infeasible and what would work, or returns
            None if the request is feasible. By default every request is feasible.
        guarantee: Function of a request that returns a proved upper bound on the maximum cosine, or None if no theorem
            gives one. By default no theorem bounds the maximum cosine.
        members: For a family of codes, a function that takes the largest dimension and returns all codes of the family
            up to this dimension. None for a construction that is not a family.
        choose: Function of a request that returns the parameters that the request leaves open; the build function gets
            them as `chosen`. None if a request leaves no parameters open.
        traits: Properties that decide how other parts of the package treat the construction; by default none.

    Returns:
        A decorator that registers the function and returns it.

    Raises:
        InvalidArgumentError: If a construction of this name is already registered.
    """

    def register(build: Build) -> Build:
        name = build.__name__
        entry = Construction(
            name=name,
            build=build,
            summary=summary,
            reference=reference,
            infeasible_reason=infeasible_reason,
            guarantee=guarantee,
            members=members,
            choose=choose,
            traits=traits,
        )
        CONSTRUCTIONS.add(name, entry)
        return build

    return register


def available() -> tuple[str, ...]:
    """Return the names of all constructions.

    Returns:
        The names, in the order of registration.

    Example:
        >>> "reed_muller" in available()
        True
    """
    return tuple(CONSTRUCTIONS)


def describe(name: str) -> Construction:
    """Return the record of one construction, with its options, summary, reference and traits.

    Args:
        name: Name of the construction, as in `ps.available()`.

    Returns:
        The record.

    Raises:
        InvalidArgumentError: If there is no construction of this name; the message names similar ones.

    Example:
        >>> describe("bch").options
        {'modify': False, 'subset': 'first'}
    """
    return CONSTRUCTIONS.named(name)


def constructions_with(trait: Callable[[Traits], bool]) -> tuple[str, ...]:
    """Return the names of all constructions whose traits satisfy a condition, in the order of registration.

    Args:
        trait: Function that takes the `Traits` of a construction and returns whether they satisfy the condition.

    Example:
        >>> constructions_with(lambda traits: traits.low_frame_potential)
        ('orthogonal_simplices',)
    """
    return tuple(name for name, entry in CONSTRUCTIONS.items() if trait(entry.traits))
