"""Words of the best binary linear codes that we know, for every length up to 128 and up to 2^17 words."""

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from protosphere.code.placement import Placement
from protosphere.code.structures import LinearWords
from protosphere.codes.derivations import generator_matrix
from protosphere.codes.linear import codewords, pack
from protosphere.constructions.block_codes.words import message_bits
from protosphere.constructions.families import Member
from protosphere.constructions.registry import construction
from protosphere.errors import InvalidArgumentError, brief
from protosphere.known.linear_codes import LARGEST_DIMENSION, LARGEST_LENGTH, LinearCodeRow, shipped_linear_codes

NAME = re.compile(r"\[(\d{1,3}),(\d{1,2}),(\d{1,3})\] (.+)", re.DOTALL)
"""What a code is called: [n,k,d], and its derivation."""


def _obstacle(num_classes: int, dim: int) -> str | None:
    most = 1 << LARGEST_DIMENSION
    if num_classes > most:
        return f"'best_known_linear' serves up to {most} classes, got {brief(num_classes)}"
    if message_bits(num_classes) > dim:
        needed = f"nearest: {message_bits(num_classes)}"
        return f"'best_known_linear' needs 2**dim >= num_classes, got dim {dim} for {num_classes} classes; {needed}"
    if dim > LARGEST_LENGTH:
        return f"'best_known_linear' serves dim up to {LARGEST_LENGTH}, got {brief(dim)}; nearest: {LARGEST_LENGTH}"
    return None


def _choose(num_classes: int, dim: int) -> dict[str, Any]:
    return {"member": _name(shipped_linear_codes().rows[dim, message_bits(num_classes)])}


def _guarantee(num_classes: int, dim: int, chosen: Mapping[str, Any] | None = None) -> Fraction:
    if chosen:
        return 1 - Fraction(2 * _parameters(chosen["member"], dim)[1], dim)
    return _max_cosine(shipped_linear_codes().rows[dim, message_bits(num_classes)])


def _members(largest_dim: int) -> Iterator[Member]:
    """Every code that no shorter or larger one is as good as."""
    for row in shipped_linear_codes().leading():
        if row.length <= largest_dim:
            name = _name(row)
            yield Member(row.length, 1 << row.dimension, _max_cosine(row), name, partial(_words, name, row.length))


@construction(
    obstacle=_obstacle,
    guarantee=_guarantee,
    summary="words of the best known binary linear code [n, k, d]: 1 - 2d/n for n up to 128, k up to 17",
    reference="parameters to meet in Brouwer's table (2006); quasi-cyclic codes after Gulliver & Bhargava (1991)",
    packed=True,
    members=_members,
    choose=_choose,
)
def best_known_linear(num_classes: int, dim: int, *, chosen: Mapping[str, Any]) -> Placement:
    """The first K words of the code with the largest known distance among those with just enough words."""
    return Placement(chosen["member"], _words(chosen["member"], dim, num_classes))


def _name(row: LinearCodeRow) -> str:
    written = shipped_linear_codes().derivation(row.length, row.dimension)
    return f"[{row.length},{row.dimension},{row.distance}] {written}"


def _max_cosine(row: LinearCodeRow) -> Fraction:
    return 1 - Fraction(2 * row.distance, row.length)


def _parameters(name: str, dim: int) -> tuple[int, int, str]:
    """Dimension, distance and derivation of the code of that name and length."""
    read = NAME.fullmatch(name)
    if read is None or int(read[1]) != dim:
        raise InvalidArgumentError(f"'member' must name a code of length {dim}, got {brief(name)}")
    return int(read[2]), int(read[3]), read[4]


def _words(name: str, dim: int, num_classes: int) -> LinearWords:
    """The first words of the code of that name."""
    k, _, derivation = _parameters(name, dim)
    bits = generator_matrix(derivation)
    if bits.shape != (k, dim):
        raise InvalidArgumentError(f"'member' must derive what it says, got {brief(name)}")
    generator = pack(bits)
    return LinearWords(dim, codewords(generator, num_classes), generator, np.arange(num_classes))
