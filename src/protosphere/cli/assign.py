"""Command `protosphere assign`, which matches prototypes to classes by the similarity of the classes.

The superclass of a class is its parent in a class tree. The objective is the quantity that the matching optimizes.

The function of the command has these arguments, whose help texts are not in its docstring:

- `sources` says from what the class similarity is computed.
- `seed` is the seed of all random choices.
- `output` is the file to which the points are written. If it is None, no file is written.
- `json` is True to print JSON, and False to print text.
"""

from pathlib import Path
from typing import Literal

import protosphere as ps
from protosphere.assignment.levels import checked_tree
from protosphere.assignment.similarity import as_similarity
from protosphere.cli.arguments import NO_SOURCE, Json, OutputCode, Seed, Sources
from protosphere.cli.output import FIGURE_ENDINGS, checked_output
from protosphere.cli.summary import show_code
from protosphere.plots import draw_similarity
from protosphere.spherical.io.formats import WRITABLE


def assign(
    file: Path,
    /,
    *,
    sources: Sources = NO_SOURCE,
    objective: Literal["align", "oppose", "worst"] = "align",
    seed: Seed = 0,
    output: OutputCode = None,
    figure: Path | None = None,
    superclasses: str | None = None,
    json: Json = False,
) -> None:
    """Match the prototypes in a file to classes by the similarity of the classes.

    The command prints the certificate of the code and says how much the matching improves the objective.

    Args:
        file: A .safetensors file that protosphere wrote, or a .npy, .csv or .txt matrix of unit rows.
        objective: Quantity to optimize.
            align maximizes the sum of similarity x cosine over all pairs of classes.
            oppose minimizes the same sum.
            worst minimizes the largest value of similarity x (1 - cosine) over all pairs.
        figure: Path of a figure to draw (.png, .pdf or .svg).
            It shows the class similarity next to the cosines of the prototypes.
        superclasses: Class tree by which the figure groups the classes into superclasses.
            The default is the value of --tree.
    """
    written = checked_output(output, WRITABLE)
    picture = checked_output(figure, FIGURE_ENDINGS)
    code = ps.load(file)
    similarity = sources.similarity()
    named = superclasses or sources.tree
    if named is None or picture is None:
        tree = None
    else:
        tree = checked_tree(named, code.num_classes)
    with ps.progress_bar("assign") as progress:
        found = ps.assign(code, similarity, objective, seed=seed, progress=progress)
        if written is not None:
            found.save(written, progress)
    if picture is not None:
        draw_similarity(as_similarity(similarity), found, picture, tree=tree)
    assert found.choice is not None, "an assignment has a reason"
    drawn = {} if picture is None else {"figure": str(picture)}
    reason = found.choice.reason
    show_code(str(file), found, file=written, json=json, reason=reason, **drawn)
