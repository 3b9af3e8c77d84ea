"""Spherical Construction X: cosets of a good code, separated by glue vectors.

A code C1 with maximum cosine mu1 is a union of J cosets of a code C2 with maximum cosine mu2. Each coset gets its own
unit vector of additional coordinates, its glue vector. The J glue vectors have maximum cosine mu_t. The points are
(sqrt(a) c, sqrt(1 - a) g), where c is a codeword of C1 as a unit vector, and g the glue vector of its coset. With r =
(mu1 - mu2) / (1 - mu_t) and a = 1 / (1 + r), the maximum cosine is (mu2 + r) / (1 + r) both for pairs within a coset
and for pairs from different cosets. The method is Construction X of binary codes (MacWilliams & Sloane, chapter 18,
section 7; Conway & Sloane, chapter 5 for lattices), applied to spherical codes.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from itertools import product
from typing import Any

from protosphere.coding.shortened_cosets import ShortenedCosets
from protosphere.constructions.best.candidates import Candidate, best_member, made_of
from protosphere.constructions.block_codes.coset_forms import nested_codes
from protosphere.constructions.build import placement_of
from protosphere.constructions.families import Member
from protosphere.constructions.registry import available, construction
from protosphere.constructions.traits import Traits
from protosphere.errors import brief
from protosphere.spherical.placement import Placement
from protosphere.spherical.provenance import Provenance
from protosphere.spherical.structures import ShortenedWords, with_glue

SMALLEST_M = 2
LARGEST_M = 11
MOST_PUNCTURED = 4


@dataclass(frozen=True)
class ConstructionXParameters:
    """Parameters of spherical Construction X, which appends glue vectors to codewords so that cosets move apart.

    The points are (sqrt(a) c, sqrt(1 - a) g), where c is a codeword of the code C1 as a unit vector, and g the glue
    vector of its coset of the code C2. The codes C1 and C2 are unions of cosets of the Reed-Muller code RM(1, m),
    shortened and punctured in the same coordinates. C2 consists of the first codewords of C1.

    Attributes:
        shortening: The exponent m, the count of coordinates that are removed by shortening, and the count of
            coordinates that are removed by puncturing.
        c2: The code C2, before it is shortened and punctured.
        num_cosets: Number J of cosets of C2. Each coset has its own glue vector.
        glue: Code whose first J points are the glue vectors.
        ratio: The number r, from which a = 1 / (1 + r) is computed.
        max_cosine: Maximum cosine of the points.
    """

    shortening: ShortenedCosets
    c2: Member
    num_cosets: int
    glue: Candidate
    ratio: float
    max_cosine: float


@lru_cache(maxsize=1024)
def _best_parameters(
    num_classes: int, dim: int, schemes: tuple[str, ...]
) -> ConstructionXParameters | None:
    del schemes  # a key of the cache only: the glue vectors may be codes of any scheme
    return min(
        _all_parameters(num_classes, dim), key=lambda one: one.max_cosine, default=None
    )


def _choose(num_classes: int, dim: int) -> dict[str, Any]:
    one = _best_parameters(num_classes, dim, available())
    assert one is not None, "infeasible_reason has made sure that there is one"
    provenance = one.glue.first(one.num_cosets)
    # provenance stores the parameters under these names
    glue = {"tails": one.num_cosets, "tail": provenance.to_json()}
    return (
        asdict(one.shortening)
        | {"level": one.c2.id}
        | glue
        | {"ratio": one.ratio, "max_cosine": one.max_cosine}
    )


def _all_parameters(num_classes: int, dim: int) -> Iterator[ConstructionXParameters]:
    for m in range(SMALLEST_M, min(LARGEST_M, dim.bit_length()) + 1):
        for shortened, punctured in product(range(m), range(MOST_PUNCTURED + 1)):
            if 2 < (1 << m) - shortened - punctured < dim:
                code = ShortenedCosets(m, shortened, punctured)
                yield from _parameters_of(code, num_classes, dim - code.dim)


def _parameters_of(
    code: ShortenedCosets, num_classes: int, glue_dim: int
) -> Iterator[ConstructionXParameters]:
    levels = nested_codes(code.m)
    for inner, level in enumerate(levels):
        group = level.size >> code.shortened
        num_cosets = -(-num_classes // group)
        if group < 2 or num_cosets < 2:
            continue
        outer = next(
            (
                above
                for above in levels[inner + 1 :]
                if above.size // level.size >= num_cosets
            ),
            None,
        )
        glue = outer and _best_glue(num_cosets, glue_dim)
        if outer is None or glue is None or glue.max_cosine >= 1:
            continue
        within = float(code.max_cosine(level.max_cosine))
        across = float(code.max_cosine(outer.max_cosine))
        if across < 1:
            ratio = (across - within) / (1 - float(glue.max_cosine))
            yield ConstructionXParameters(
                code, level, num_cosets, glue, ratio, (within + ratio) / (1 + ratio)
            )


def _best_glue(count: int, dim: int) -> Candidate | None:
    # at most dim + 1 glue vectors are a simplex, and up to 2 * dim are a cross-polytope
    if count > 2 * dim:
        return best_member(count, dim)
    scheme, cosine = (
        ("simplex", -1 / (count - 1)) if count <= dim + 1 else ("cross_polytope", 0.0)
    )
    return Candidate(cosine, scheme, count, made_of(scheme, count, dim, dim, {}, {}))


def _infeasible_reason(num_classes: int, dim: int) -> str | None:
    if 3 < dim <= 4096 and _best_parameters(num_classes, dim, available()) is not None:
        return None
    got = f"got num_classes {brief(num_classes)} at dim {brief(dim)}"
    return f"'construction_x' needs more classes than a coset has words and room for a tail, up to dim 4096, {got}"


def _guarantee(
    num_classes: int, dim: int, chosen: Mapping[str, Any] | None = None
) -> float | None:
    if chosen:
        return chosen["max_cosine"]
    one = _best_parameters(num_classes, dim, available())
    return one and one.max_cosine


@construction(
    infeasible_reason=_infeasible_reason,
    guarantee=_guarantee,
    summary="unions of cosets of RM(1, m), with additional coordinates that move different cosets apart",
    reference="after MacWilliams & Sloane, chapter 18, section 7 (Construction X)",
    choose=_choose,
    traits=Traits(
        packed=True, fast_projection=True, quick_guarantee=True, page_formula=True
    ),
)
def construction_x(
    num_classes: int, dim: int, *, chosen: Mapping[str, Any]
) -> Placement:
    """Place K points by spherical Construction X, with the parameters that give the lowest maximum cosine for (K, n).

    A code is divided into cosets of a smaller code, and each coset gets a unit vector, its glue vector. A point is
    (sqrt(a) c, sqrt(1 - a) g), where c is a codeword as a unit vector, and g the glue vector of its coset. With a = 1 /
    (1 + r), the number r is chosen such that the maximum cosine is the same within a coset and between different
    cosets.

    Args:
        num_classes: Number K of points.
        dim: Dimension n.
        chosen: Parameters that the scheme has chosen for (K, n), by name.

            - "m" is the exponent of the length 2^m of the original codewords.
            - "shortened" is the count of coordinates that are removed by shortening, and "punctured" the count of
              coordinates that are removed by puncturing.
            - "level" is the id of the smaller code, whose cosets are used, before it is shortened and punctured.
            - "tails" is the count of glue vectors, and "tail" is the provenance of the glue vectors as a JSON object.
            - "ratio" is the number r.
            - "max_cosine" is the maximum cosine of the points.
    """
    code = ShortenedCosets(chosen["m"], chosen["shortened"], chosen["punctured"])
    level = next(level for level in nested_codes(code.m) if level.id == chosen["level"])
    tails = chosen["tails"]
    group = level.size >> code.shortened
    vectors = placement_of(Provenance.from_json(chosen["tail"])).unit_rows(0, tails)
    words = ShortenedWords.of(code, num_classes)
    cosets = f"{tails} cosets of {level.description}, shortened by {code.shortened}, punctured by {code.punctured}"
    description = f"{cosets}, told apart by a tail of {dim - code.dim} dimensions"
    return Placement(
        description, with_glue(words, 1 / (1 + chosen["ratio"]), vectors, group)
    )
