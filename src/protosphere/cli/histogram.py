"""`protosphere histogram`."""

import protosphere as ps
from protosphere.cli.arguments import UNSET, Classes, Dim, Json, Options, Output, Seed, Whole
from protosphere.cli.bar_chart import print_counts
from protosphere.cli.numbers import cosine_fields
from protosphere.cli.output import FIGURE_ENDINGS, checked_output
from protosphere.cli.screen import print_json, screen
from protosphere.code.cosines import cosine_counts
from protosphere.errors import brief
from protosphere.plots import draw_histogram

MOST_BINS = 1000


def histogram(
    scheme: str,
    /,
    *,
    num_classes: Classes,
    dim: Dim,
    seed: Seed = 0,
    options: Options = UNSET,
    bins: Whole = 40,
    output: Output = None,
    json: Json = False,
) -> None:
    """How the cosines of all pairs are distributed: every exact value, or bins where they are not exact.

    Args:
        scheme: One of those that `protosphere list` shows.
        bins: Into how many equal parts to cut [-1, 1] where cosines are not exact.
        output: A figure to draw: .png, .pdf or .svg.
    """
    picture = checked_output(output, FIGURE_ENDINGS)
    if not 1 <= bins <= MOST_BINS:
        raise ps.InvalidArgumentError(f"--bins must be from 1 to {MOST_BINS}, got {brief(bins)}")
    with ps.progress_bar(scheme) as progress:
        code = ps.construct(scheme, num_classes=num_classes, dim=dim, seed=seed, progress=progress, **options.given())
        counts = cosine_counts(code, bins, progress)
    if picture is not None:
        draw_histogram(code, picture, bins=bins)
    if json:
        head = {"scheme": counts.scheme, "num_classes": counts.num_classes, "dim": counts.dim, "pairs": counts.pairs}
        head |= cosine_fields("max_cosine", counts.max_cosine) | {"exact": counts.exact}
        print_json(head | {"figure": picture and str(picture), "bins": counts.records()})
        return
    console = screen()
    print_counts(counts, bins, console)
    if picture is not None:
        console.print(f"figure: {picture}")
