"""`protosphere best`."""

from typing import Literal

import protosphere as ps
from protosphere.cli.arguments import Classes, Dim, Flag, Json, OutputCode, Seed, Whole
from protosphere.cli.output import checked_output
from protosphere.cli.screen import cosine_fields, print_codes
from protosphere.cli.summary import show_code
from protosphere.spherical.io.formats import WRITABLE
from protosphere.spherical.provenance import Choice


def best(
    *,
    num_classes: Classes,
    dim: Dim,
    budget: float | None = None,
    iterations: Whole | None = None,
    prefer: Literal["separated", "frame_potential"] = "separated",
    tolerance: float = 0.0,
    seed: Seed = 0,
    explain: Flag = False,
    output: OutputCode = None,
    json: Json = False,
) -> None:
    """The lowest max cosine of everything we know, with its certificate; after Ctrl-C of what was found so far.

    Args:
        budget: Seconds in all; by default a few seconds' worth of work. Up to a second, what is kept answers.
        iterations: Or evaluations of its energy; 0 for what is known already, algebra and the catalogue.
        prefer: frame_potential takes, within the tolerance, the code whose other cosines are low as well.
        tolerance: How much max cosine may be given for that.
        explain: Show what else was considered.
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
    assert code.choice is not None, "best always says why"
    show_code("best", code, file=file, json=json, **choice_record(code.choice))
    if explain and not json:
        print_choice(code.choice)
    if code.choice.interrupted:
        raise KeyboardInterrupt  # the answer is out; the exit code says that it was cut short


def choice_record(choice: Choice) -> dict[str, object]:
    """The reason and the candidates as fields of the card."""
    rows = [
        {"scheme": c.scheme, "recipe": c.description}
        | cosine_fields("promise", c.promise)
        | cosine_fields("measured", c.measured)
        for c in choice.considered
    ]
    return {
        "reason": choice.reason,
        "interrupted": choice.interrupted,
        "considered": rows,
    }


def print_choice(choice: Choice) -> None:
    """The candidates, the chosen one first."""
    cosines = [
        [("·" if v is None else f"{float(v):.5f}") for v in (c.promise, c.measured)]
        for c in choice.considered
    ]
    rows = [
        [*pair, f"{c.scheme}: {c.description}"]
        for pair, c in zip(cosines, choice.considered, strict=True)
    ]
    print_codes(("promised", "measured"), rows, "· no promise, or not built")
