"""Command `python -m reproduction antipodal`."""

from dataclasses import asdict
from itertools import zip_longest

from rich.table import Table
from rich.text import Text

import protosphere as ps
from protosphere.assignment.similarity import as_similarity
from protosphere.cli.arguments import (
    NO_SOURCE,
    DataDir,
    Json,
    Mapping,
    Seed,
    Sources,
    Whole,
)
from protosphere.cli.screen import print_json, screen
from protosphere.data import load_dataset
from protosphere.experiments.config_files import default_dim
from reproduction.antipodal import AntipodalPair, antipodal_pairs, mean_similarity


def antipodal(
    dataset: str,
    /,
    *,
    scheme: str = "reed_muller",
    dim: Whole | None = None,
    mapping: Mapping = "fixed",
    seed: Seed = 0,
    sources: Sources = NO_SOURCE,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """List the pairs of classes of a dataset that get antipodal prototypes.

    If a source of class similarity is given, the pairs after aligning prototypes with the similarity are listed, too.

    Args:
        dataset: Name of a dataset, such as digits, mnist or cifar100, or the path of an .npz file.
        scheme: Name of a scheme that `protosphere list` shows.
        dim: Dimension n. The default is a dimension near the number of classes that the scheme has.
        mapping: Order of the points. With fixed, class i gets point i. With random, --seed permutes the points.
    """
    names = load_dataset(dataset, data_dir=data_dir).class_names
    n = default_dim(scheme, len(names)) if dim is None else dim
    code = ps.construct(
        scheme, num_classes=len(names), dim=n, mapping=mapping, seed=seed
    )
    found = None if sources == NO_SOURCE else sources.similarity()
    named = found.of(names) if isinstance(found, ps.Taxonomy) else found
    similarity = None if named is None else as_similarity(named, len(names))
    pairs = {"before": antipodal_pairs(code, names, similarity)}
    if similarity is not None:
        pairs["aligned"] = antipodal_pairs(
            ps.assign(code, similarity, seed=seed), names, similarity
        )
    if json:
        records = {
            when: [asdict(pair) for pair in some] for when, some in pairs.items()
        }
        print_json(records["before"] if similarity is None else records)
        return
    console = screen()
    if similarity is None:
        for pair in pairs["before"]:
            console.print(" - ".join(pair.names))
    else:
        console.print(before_and_after(pairs))
        means = [f"{mean_similarity(some):.3f} {when}" for when, some in pairs.items()]
        console.print(f"mean similarity of antipodal pairs: {', '.join(means)}")
    console.print(
        f"{len(pairs['before'])} antipodal pairs of {len(names)} classes: {scheme}, n = {n}, {mapping} mapping"
    )


def before_and_after(pairs: dict[str, list[AntipodalPair]]) -> Table:
    """Return a table of the antipodal pairs before and after alignment, the most similar pairs first.

    Args:
        pairs: Pairs by the heading of their column, "before" and "aligned".
    """
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for when in pairs:
        table.add_column(when, overflow="fold")
        table.add_column("similarity", justify="right", no_wrap=True)
    for row in zip_longest(*pairs.values()):
        cells = [
            ("", "")
            if pair is None
            else (" - ".join(pair.names), f"{pair.similarity:.3f}")
            for pair in row
        ]
        table.add_row(*(Text(text) for cell in cells for text in cell))
    return table
