"""Print the summary of a code and its certificate, as text for people or as JSON for programs."""

from collections.abc import Iterator
from fractions import Fraction
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
from protosphere.spherical.certificate import Certificate
from protosphere.spherical.spherical_code import SphericalCode
from protosphere.spherical.statistics import CodeStatistics, code_statistics
from protosphere.types import Cosine


def show_code(
    title: str, code: SphericalCode, *, json: bool, file: Path | None, **more: Any
) -> None:
    """Print the summary of a code and its certificate, as text or as JSON.

    Args:
        title: Heading of the summary.
        code: The code.
        json: Whether to print JSON.
        file: File with the code; None if there is none. If `title` is the name of the file, the code was read from the
            file, otherwise it was written to the file.
        **more: Further fields of the JSON document. The text shows the fields `reason`, `proof` and `figure`, too.
            `proof` and `figure` are names of files that were written. If `proof` is given, `proof_converse` must be
            given, too. `proof_converse` is the lower bound on the maximum cosine of any K points that the file `proof`
            proves.
    """
    if json:
        print_json(code_record(code) | {"file": file and str(file)} | more)
        return
    was_read = title == str(file)
    lines = list(code_lines(code, was_read))
    if file is not None and not was_read:
        lines.append(("written", str(file)))
    if "proof" in more:
        bound = decimal(more["proof_converse"])
        lines.append(("proof", f"converse at least {bound}, by linear programming"))
    lines += [("written", more[name]) for name in ("proof", "figure") if name in more]
    heading = f"{title}: {code.num_classes} points in {code.dim} dimensions"
    print_summary(heading, lines)
    if "reason" in more:
        print_lines([more["reason"]])


def code_lines(
    code: SphericalCode, from_file: bool = False
) -> Iterator[tuple[str, str]]:
    """Yield the lines of a code's summary. Each line is a tuple (name, text).

    Args:
        code: The code.
        from_file: Whether the code was read from a file. If so, the description and the guarantee were not verified,
            and ", says the file" is added to both.
    """
    proof = code.certificate
    source = ", says the file" if from_file else ""
    description = code.placement.description
    if code.provenance is not None:
        description += source
    yield "description", description
    at_most, at_least = ("at most ", "at least ") if proof.is_upper_bound else ("", "")
    yield "max cosine", f"{at_most}{format_cosine(proof.max_cosine)}"
    yield "smallest angle", f"{at_least}{decimal(code.min_angle_degrees, 4)} degrees"
    statistics = quick_statistics(code)
    if statistics is not None:
        yield from statistics_lines(code, statistics)
    if code.provenance:
        yield "guarantee", guarantee_text(proof.guarantee) + source
    converse = format_cosine(proof.converse.value)
    yield "converse", f"at least {converse}, by {proof.converse.theorem}"
    yield "gap", gap_text(proof)
    yield "measured", proof.method
    if proof.exact:
        yield "exact", f"because {proof.reason}"
    elif not proof.unverified and not proof.is_upper_bound:
        yield "error", f"at most {proof.error:.1e}"


def statistics_lines(
    code: SphericalCode, statistics: CodeStatistics
) -> Iterator[tuple[str, str]]:
    """Yield the lines of a code's summary that state its statistics. Each line is a tuple (name, text).

    Args:
        code: The code.
        statistics: Statistics of the cosines of all pairs of points of the code.
    """
    minimum = format_cosine(statistics.min_cosine)
    pairs = antipodal_text(statistics.antipodal_pairs)
    yield "minimum cosine", f"{minimum}, {pairs}"
    energy = decimal(statistics.energy)
    yield "energy", f"{energy}, at a scale of {decimal(statistics.scale, 2)}"
    smallest = welch_mean_square(code.num_classes, code.dim).value
    mean_square = decimal(statistics.mean_square)
    yield (
        "mean square",
        f"{mean_square} of the cosines (minimum, by tight frames: {decimal(smallest)})",
    )


def antipodal_text(pairs: int) -> str:
    """Return a text with the number of antipodal pairs.

    >>> antipodal_text(0), antipodal_text(1), antipodal_text(5)
    ('no antipodal pair', '1 antipodal pair', '5 antipodal pairs')
    """
    if pairs == 0:
        return "no antipodal pair"
    if pairs == 1:
        return "1 antipodal pair"
    return f"{pairs} antipodal pairs"


def guarantee_text(guarantee: Cosine | None) -> str:
    """Return the guarantee, a proved upper bound on the maximum cosine of a code, as text.

    If `guarantee` is None, the text says that no theorem gives a guarantee.
    """
    if guarantee is None:
        return "none by theory"
    return f"at most {format_cosine(guarantee)}"


def gap_text(proof: Certificate) -> str:
    """Return the difference of the maximum cosine and the converse as text, which also says if the code is optimal.

    The converse is a proved lower bound on the maximum cosine of any K points in R^n.

    Args:
        proof: Certificate of the code, with its maximum cosine and the converse.
    """
    gap = difference(proof.gap)
    if not proof.optimal:
        return gap
    both_fractions = proof.exact and isinstance(proof.converse.value, Fraction)
    within = "" if both_fractions else ", to within rounding"
    return f"{gap}: optimal{within}, no arrangement is better"


def code_record(code: SphericalCode) -> dict[str, Any]:
    """Return the summary of a code as a dictionary for JSON.

    The maximum cosine, the guarantee (an upper bound on the maximum cosine that a theorem gives) and the converse (a
    lower bound on the maximum cosine of any K points in R^n) have two fields each: a float, and the fraction as text if
    the value is exact. A statistic is None if it was not computed, as for more than 5,000 points. The field "error", a
    bound on the rounding error of the measured maximum cosine, is None if the certificate was not verified.
    """
    proof = code.certificate
    provenance = code.provenance
    statistics = quick_statistics(code)
    return {
        "scheme": provenance and provenance.construction,
        "description": code.placement.description,
        "num_classes": code.num_classes,
        "dim": code.dim,
        "seed": provenance and provenance.seed,
        "mapping": provenance and provenance.mapping,
        "options": provenance and dict(provenance.options),
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
        "min_cosine": statistics and float(statistics.min_cosine),
        "antipodal_pairs": statistics and statistics.antipodal_pairs,
        "energy": statistics and statistics.energy,
        "mean_square": statistics and float(statistics.mean_square),
    }


def quick_statistics(code: SphericalCode) -> CodeStatistics | None:
    """Return statistics of the cosines of all pairs of points of a code.

    If there are more than 5,000 points, or if two points coincide, the result is None.
    """
    if code.num_classes > LARGEST_COMPARED or code.max_cosine >= 1:
        return None
    return code_statistics(code)
