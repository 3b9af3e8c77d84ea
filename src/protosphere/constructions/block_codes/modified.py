"""Constructions from binary linear codes of certain lengths, and from modifications of these codes to other lengths.

A modification shortens, extends, punctures or lengthens a code. Shortening fixes message symbols to 0 and removes them,
extending adds a parity check, puncturing removes coordinates, and lengthening appends copies of coordinates. A linear
code with k message bits has 2^k codewords.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from protosphere.coding.linear import smallest_weight
from protosphere.constructions.block_codes.words import (
    BinaryCode,
    message_bits,
    placed_words,
    subset_infeasible_reason,
)
from protosphere.constructions.registry import construction
from protosphere.constructions.traits import Traits
from protosphere.errors import InvalidArgumentError, as_flag, brief
from protosphere.spherical.placement import Placement

TRIALS, TRIAL_BITS = 6, 1 << 30
"""Number of modified codes whose distance is measured, and largest number of bits of all codewords of such a code.

If a code has more bits, the code with the largest distance that a theorem guarantees is taken without measuring.
"""

Native = Callable[[int, int], BinaryCode]
"""Function from K and n to the code of length n with the smallest dimension that has at least K codewords."""


def linear_words(
    *,
    rule: str,
    lengths: Sequence[int],
    longest: int,
    modifications: Callable[[int, int], list[BinaryCode]],
    summary: str,
    reference: str,
    traits: Traits,
) -> Callable[[Native], Native]:
    """Register a construction that takes its points from binary linear codes.

    The construction has the name of the decorated function, and two options, `modify` and `subset`. With modify=False,
    it uses the code that the decorated function returns. With modify=True, it uses a modified code of length n with at
    least K codewords, and with a large minimum distance. `subset` says which K codewords become points: 'first' takes
    the first K codewords, 'random' takes random ones, and 'greedy' chooses them one by one so that they are far apart.

    Args:
        rule: Formula of the lengths of unmodified codes, such as "2**m", for error messages.
        lengths: Lengths of unmodified codes, in ascending order.
        longest: Largest length of a modified code.
        modifications: Function that takes a length and a number of message bits and returns all modified codes with
            this length and this number of message bits.
        summary: One line that describes the construction in lists.
        reference: Publication of the construction.
        traits: Properties of the construction that other parts of the package use.

    Returns:
        A decorator for a function that takes K and n and returns the smallest unmodified code of length n with at least
        K codewords. The decorator returns this function unchanged.
    """

    def register(native: Native) -> Native:
        name = native.__name__

        def why_not(
            num_classes: int, dim: int, *, modify: bool, subset: str
        ) -> str | None:
            too_many = subset_infeasible_reason(name, subset, num_classes)
            served = range(1, longest + 1) if as_flag("modify", modify) else lengths
            return (
                length_infeasible_reason(name, rule, served, num_classes, dim)
                or too_many
            )

        def choose(
            num_classes: int, dim: int, *, modify: bool, **_: object
        ) -> dict[str, Any]:
            needed = message_bits(num_classes)
            if modify:
                return choose_modification(modifications(dim, needed), dim, needed)
            return {}

        def guarantee(
            num_classes: int,
            dim: int,
            *,
            modify: bool,
            chosen: Mapping[str, Any] | None = None,
            **_: object,
        ) -> Fraction | None:
            if not modify:
                distance = native(num_classes, dim).distance
            elif chosen:
                distance = chosen["distance"]
            else:
                distance = max(
                    (
                        code.distance
                        for code in modifications(dim, message_bits(num_classes))
                    ),
                    default=0,
                )
            return 1 - Fraction(2 * distance, dim) if distance > 0 else None

        def build(
            num_classes: int,
            dim: int,
            *,
            rng: np.random.Generator,
            chosen: Mapping[str, Any],
            modify: bool = False,
            subset: str = "first",
        ) -> Placement:
            if modify:
                code = _named(
                    modifications(dim, message_bits(num_classes)),
                    chosen["modification"],
                )
            else:
                code = native(num_classes, dim)
            return placed_words(code, dim, num_classes, subset, rng)

        build.__name__ = name
        build.__doc__ = native.__doc__
        register_build = construction(
            summary=summary,
            reference=reference,
            infeasible_reason=why_not,
            guarantee=guarantee,
            choose=choose,
            traits=traits,
        )
        register_build(build)
        return native

    return register


def length_infeasible_reason(
    name: str, rule: str, lengths: Sequence[int], num_classes: int, dim: int
) -> str | None:
    """Return why a construction has no K codewords of length n, or None if the construction has them.

    The construction has them if n is one of `lengths` and 2^n is at least K.

    Args:
        name: Name of the construction.
        rule: Formula of the lengths, such as "2**m", for the message.
        lengths: Lengths of the codes of the construction, in ascending order.
        num_classes: Number K of codewords.
        dim: Length n.
    """
    needed = message_bits(num_classes)
    longest = lengths[-1]
    if dim > longest:
        return f"'{name}' serves dim up to {longest}, got {brief(dim)}"
    if needed > dim:
        enough = lengths[bisect_left(lengths, needed) :]
        if enough:
            where = f"nearest: {brief(enough[0])}"
        else:
            where = f"no dim up to {longest} holds so many"
        got = f"got dim {brief(dim)} for {brief(num_classes)} classes"
        return f"'{name}' needs 2**dim >= num_classes, {got}; {where}"
    if dim not in lengths:
        above = bisect_left(lengths, dim)
        nearest = [
            str(length)
            for length in lengths[max(0, above - 1) : above + 1]
            if length >= needed
        ]
        return f"'{name}' needs dim = {rule}, got {dim}; nearest: {', '.join(nearest)}; or modify=True"
    return None


def choose_modification(
    modifications: list[BinaryCode], dim: int, k: int
) -> dict[str, Any]:
    """Return the id of the best of several modified codes, and a guaranteed minimum distance.

    The best code is the one with the largest measured minimum distance among the six codes with the largest guaranteed
    distances. If the 2^k codewords of a code have more than 2^30 bits in total, nothing is measured, and the code with
    the largest guaranteed distance is the best.

    Args:
        modifications: Modified codes to choose from.
        dim: Length n of the codes.
        k: Number of message bits.

    Returns:
        A mapping with two keys: "modification" for the id, and "distance" for the largest guaranteed distance of all
        codes. The best code has at least this distance.
    """
    ranked = sorted(modifications, key=lambda code: -code.distance)[:TRIALS]
    best = ranked[0]
    if dim << k <= TRIAL_BITS:
        best = max(ranked, key=lambda code: smallest_weight(code.rows(k), dim))
    return {"modification": best.id, "distance": ranked[0].distance}


def _named(modifications: Iterable[BinaryCode], id: str) -> BinaryCode:
    for code in modifications:
        if code.id == id:
            return code
    raise InvalidArgumentError(
        f"'modification' must be the id of a code of this length, got {brief(id)}"
    )


@dataclass(frozen=True)
class Modification:
    """Changes of the length of a code. They are made in the order of the attributes.

    Attributes:
        shortened: Number of message symbols that are fixed to 0 and removed.
        extended: Whether a parity check is added.
        punctured: Number of coordinates that are removed.
        repeated: Number of coordinates that are appended as copies of other coordinates.
    """

    shortened: int = 0
    extended: bool = False
    punctured: int = 0
    repeated: int = 0

    def id(self, base: str) -> str:
        """Return the id of the modified code: the id of the original code, followed by the changes.

        The changes are written as 's' and the number of message symbols that are removed, 'e' for a parity check, 'p'
        and the number of coordinates that are removed, and 'r' and the number of copied coordinates. Hyphens separate
        the changes. Changes that are not made are left out. In the example, one message symbol and two coordinates are
        removed.

        Args:
            base: Id of the original code.

        >>> Modification(shortened=1, punctured=2).id("bch-127-8")
        'bch-127-8-s1-p2'
        """
        parts = [base]
        if self.shortened:
            parts.append(f"s{self.shortened}")
        if self.extended:
            parts.append("e")
        if self.punctured:
            parts.append(f"p{self.punctured}")
        if self.repeated:
            parts.append(f"r{self.repeated}")
        return "-".join(parts)

    def description(self, base: str) -> str:
        """Return the description of the modified code: the description of the original code, followed by the changes.

        Args:
            base: Description of the original code.

        >>> Modification(shortened=1, punctured=2).description("BCH(127,8)")
        'BCH(127,8), shortened by 1, punctured by 2'
        """
        parts = [base]
        if self.shortened:
            parts.append(f"shortened by {self.shortened}")
        if self.extended:
            parts.append("extended by parity")
        if self.punctured:
            parts.append(f"punctured by {self.punctured}")
        if self.repeated:
            parts.append(f"lengthened by {self.repeated} of its own columns")
        return ", ".join(parts)
