"""`protosphere opposed`."""

from dataclasses import asdict
from pathlib import Path

import protosphere as ps
from protosphere.assignment.similarity import as_similarity
from protosphere.cli.arguments import Json, Mapping, Seed, Whole
from protosphere.cli.screen import print_json, screen
from protosphere.cli.similarity_sources import NO_SOURCE, Sources
from protosphere.data import load_dataset
from protosphere.paper.opposition import mean_similarity, opposed_pairs
from protosphere.training.recipe_files import default_dim


def opposed(
    dataset: str,
    /,
    *,
    scheme: str = "reed_muller",
    dim: Whole | None = None,
    mapping: Mapping = "fixed",
    seed: Seed = 0,
    sources: Sources = NO_SOURCE,
    data_dir: Path | None = None,
    json: Json = False,
) -> None:
    """Which classes of a dataset get diametrically opposed prototypes; with a similarity, what aligning them mends.

    Args:
        dataset: digits, mnist, fashion_mnist, cifar10, cifar100, or the path of an .npz file.
        scheme: A scheme that `protosphere list` shows.
        dim: The dimension n; by default about the number of classes.
        mapping: Whether class i gets point i, or one by the seed.
        data_dir: Where to look for the data first.
    """
    names = load_dataset(dataset, data_dir=data_dir).class_names
    n = default_dim(scheme, len(names)) if dim is None else dim
    code = ps.construct(scheme, num_classes=len(names), dim=n, mapping=mapping, seed=seed)
    pairs, mended = opposed_pairs(code, names), None
    if sources.given:
        similarity = as_similarity(sources.similarity(), len(names))
        before, pairs = pairs, opposed_pairs(ps.assign(code, similarity, seed=seed), names)
        mended = [mean_similarity(similarity, some) for some in (before, pairs)]
    if json:
        print_json([asdict(pair) for pair in pairs])
        return
    console = screen()
    for pair in pairs:
        console.print(f"{pair.names[0]} - {pair.names[1]}")
    if mended is not None:
        console.print(f"mean similarity of opposed pairs: {mended[0]:.3f} before, {mended[1]:.3f} aligned")
    console.print(f"{len(pairs)} opposed pairs of {len(names)} classes: {scheme}, n = {n}, {mapping} mapping")
