"""The card of a code: what it is and what is certified, in lines for people and in fields for programs."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from protosphere.bounds import welch_mean_square
from protosphere.cli.screen import (
    cosine_fields,
    decimal,
    difference,
    format_cosine,
    print_json,
    print_lines,
    print_summary,
)
from protosphere.constructions.best.selection import LARGEST_COMPARED
from protosphere.spherical.spherical_code import SphericalCode
from protosphere.spherical.statistics import CodeStatistics, code_statistics


def show_code(
    title: str, code: SphericalCode, *, json: bool, file: Path | None, **more: Any
) -> None:
    """Print the card and the reason for it, or the JSON of all; `file` is where the code was written or read."""
    if json:
        print_json(code_record(code) | {"file": file and str(file)} | more)
        return
    read = title == str(file)
    written = [] if file is None or read else [("written", str(file))]
    print_summary(
        f"{title}: {code.num_classes} points in {code.dim} dimensions",
        [*code_lines(code, read), *written],
    )
    print_lines([more["reason"]] if "reason" in more else [])


def code_lines(
    code: SphericalCode, from_file: bool = False
) -> Iterator[tuple[str, str]]:
    """The lines of the card; recipe and guarantee of a file are what it says, and nothing that was looked at."""
    proof = code.certificate
    says = ", says the file" * from_file
    yield "recipe", code.placement.description + says * (code.provenance is not None)
    yield "max cosine", format_cosine(proof.max_cosine)
    yield "smallest angle", f"{decimal(code.min_angle_degrees, 4)} degrees"
    if (found := spread_of(code)) is not None:
        if not found.opposed_pairs:
            pairs = "no opposed pair"
        else:
            pairs = f"{found.opposed_pairs} opposed pairs"
        yield (
            "least cosine",
            f"{format_cosine(found.least_cosine)}, {pairs.removesuffix('s' * (found.opposed_pairs == 1))}",
        )
        yield (
            "energy",
            f"{decimal(found.energy)}, at a scale of {decimal(found.scale, 2)}",
        )
        least = welch_mean_square(code.num_classes, code.dim).value
        yield (
            "mean square",
            f"{decimal(found.mean_square)}, of a tight frame {decimal(least)}",
        )
    if code.provenance:
        if proof.guarantee is None:
            promise = "none by theory"
        else:
            promise = f"at most {format_cosine(proof.guarantee)}"
        yield "guarantee", promise + says
    yield (
        "converse",
        f"at least {format_cosine(proof.converse.value)}, by {proof.converse.theorem}",
    )
    within = "" if proof.exact else ", to within rounding"
    yield (
        "gap",
        difference(proof.gap)
        + f": optimal{within}, no arrangement is better" * proof.optimal,
    )
    yield "measured", proof.method
    if proof.exact:
        yield "exact", f"because {proof.reason}"
    elif not proof.unverified:
        yield "error", f"at most {proof.error:.1e}"


def code_record(code: SphericalCode) -> dict[str, Any]:
    """Everything on the card as JSON fields; fractions as text beside floats, null for what was not looked at."""
    proof = code.certificate
    made = code.provenance
    found = spread_of(code)
    return {
        "scheme": made and made.construction,
        "recipe": code.placement.description,
        "num_classes": code.num_classes,
        "dim": code.dim,
        "seed": made and made.seed,
        "mapping": made and made.mapping,
        "options": made and dict(made.options),
        **cosine_fields("max_cosine", proof.max_cosine),
        "min_angle_degrees": code.min_angle_degrees,
        **cosine_fields("guarantee", proof.guarantee),
        **cosine_fields("converse", proof.converse.value),
        "theorem": proof.converse.theorem,
        "gap": proof.gap,
        "optimal": proof.optimal,
        "method": proof.method,
        "exact": proof.exact,
        "reason": proof.reason,
        "error": None if proof.unverified else proof.error,
        "least_cosine": found and float(found.least_cosine),
        "opposed_pairs": found and found.opposed_pairs,
        "energy": found and found.energy,
        "mean_square": found and float(found.mean_square),
    }


def spread_of(code: SphericalCode) -> CodeStatistics | None:
    """How even the code is, where all pairs can be looked at in a moment."""
    if code.num_classes > LARGEST_COMPARED or code.max_cosine >= 1:
        return None
    return code_statistics(code)
