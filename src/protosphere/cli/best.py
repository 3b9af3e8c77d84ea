"""Command `protosphere best`, which builds the code with the lowest known maximum cosine.

A candidate is a code that `ps.best` considered. An evaluation of a search computes the quantity that the search
minimizes, and its gradient, for one set of points.

The function of the command has these arguments, whose help texts are not in its docstring:

- `num_classes` is the number of points K.
- `dim` is the dimension n of the points.
- `seed` is the seed of all random choices.
- `output` is the file to which the points are written. If it is None, no file is written.
- `json` is True to print JSON, and False to print text.
"""

from typing import Literal

import protosphere as ps
from protosphere.cli.arguments import Classes, Dim, Flag, Json, OutputCode, Seed, Whole
from protosphere.cli.output import checked_output
from protosphere.cli.screen import cosine_fields, print_codes
from protosphere.cli.summary import show_code
from protosphere.spherical.io.formats import WRITABLE
from protosphere.spherical.provenance import Choice
from protosphere.types import Cosine

DOT = "\N{MIDDLE DOT}"


def best(
    *,
    num_classes: Classes,
    dim: Dim,
    budget: float | None = None,
    iterations: Whole | None = None,
    prefer: Literal["separated", "energy"] = "separated",
    tolerance: float = 0.0,
    seed: Seed = 0,
    explain: Flag = False,
    output: OutputCode = None,
    json: Json = False,
) -> None:
    """Build the code with the lowest known maximum cosine.

    Ctrl-C ends the search. The best code that was found so far is then printed and saved.

    Args:
        budget: Time limit in seconds, after which the search for new codes ends.
            By default, the search ends after a number of evaluations that takes a few seconds.
            If the catalogue has results of earlier searches for this K and n, the new search is up to a second shorter.
        iterations: Number of evaluations of a new search, instead of --budget. With 0, only known codes are used.
        prefer: Code to choose.
            separated is the code with the lowest maximum cosine.
            energy is the code with the lowest energy within --tolerance of the lowest maximum cosine.
            Lower energy means more uniform points.
        tolerance: Largest increase of the maximum cosine that --prefer energy accepts.
        explain: Show the other candidates, too.
    """
    file = checked_output(output, WRITABLE)
    with ps.progress_bar("best") as progress:
        code = ps.best(
            num_classes=num_classes,
            dim=dim,
            budget=budget,
            iterations=iterations,
            prefer=prefer,
            tolerance=tolerance,
            seed=seed,
            progress=progress,
        )
        if file is not None:
            code.save(file, progress)
    assert code.choice is not None, "best always has a reason"
    show_code("best", code, file=file, json=json, **choice_record(code.choice))
    if explain and not json:
        print_choice(code.choice)
    if code.choice.interrupted:
        raise KeyboardInterrupt  # the answer is out; the exit code says that it was cut short


def choice_record(choice: Choice) -> dict[str, object]:
    """Return JSON fields that explain which code `ps.best` chose, as a mapping from their names to their values.

    The field "reason" says why the code was chosen. The field "interrupted" says whether Ctrl-C ended the search. The
    field "considered" is a list with one record for each candidate, a code that `ps.best` considered.

    Args:
        choice: Record of which candidates were considered and why one of them was chosen.
    """
    candidates: list[dict[str, object]] = []
    for candidate in choice.considered:
        candidates.append(
            {
                "scheme": candidate.scheme,
                "description": candidate.description,
                **cosine_fields("promise", candidate.promise),
                **cosine_fields("measured", candidate.measured),
            }
        )
    return {
        "reason": choice.reason,
        "interrupted": choice.interrupted,
        "considered": candidates,
    }


def print_choice(choice: Choice) -> None:
    """Print a table of the candidates, the codes that `ps.best` considered. The chosen code is in the first row.

    A row has the guaranteed maximum cosine, the measured maximum cosine, the scheme and the description of a candidate.

    Args:
        choice: Record of which candidates were considered and why one of them was chosen.
    """
    rows: list[tuple[str, ...]] = []
    for candidate in choice.considered:
        row = (
            cosine_or_dot(candidate.promise),
            cosine_or_dot(candidate.measured),
            f"{candidate.scheme}: {candidate.description}",
        )
        rows.append(row)
    print_codes(("guarantee", "measured"), rows, f"{DOT} no guarantee, or not built")


def cosine_or_dot(value: Cosine | None) -> str:
    """Return `value` as text with five decimal places, or a middle dot if `value` is None."""
    return DOT if value is None else f"{float(value):.5f}"
