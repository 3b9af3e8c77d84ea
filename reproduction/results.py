"""The finished runs that claims are asked about: of one dataset with one network and one number of epochs."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean

from protosphere.regression import Regression, regression
from protosphere.training.records import RunRecord
from reproduction.findings import Sample
from reproduction.noise import Cell, Noise, noise_by_scheme
from reproduction.predictors import cells_of

SCHEMES = ("one_hot", "simplex", "bch", "reed_muller", "log_sum_exp", "mean_row_max")
"""Of the paper's experiments."""


@dataclass(frozen=True)
class Evidence:
    """The finished runs of one dataset with one network and one number of epochs."""

    records: tuple[RunRecord, ...]

    def sample(self, scheme: str, dims: Iterable[int] = (), mapping: str | None = None) -> Sample:
        """For each seed the mean accuracy of the runs asked for; no dims are all dims, no mapping both."""
        wanted = set(dims)
        found = {
            cell: own
            for cell, own in self.cells.items()
            if cell[0] == scheme and (not wanted or cell[1] in wanted) and mapping in (None, cell[2])
        }
        seeds = sorted({seed for own in found.values() for seed in own})
        means = {seed: fmean(own[seed] for own in found.values() if seed in own) for seed in seeds}
        return Sample(means, scheme, max(1, len(found)), self.noise.get(scheme, Noise()))

    @cached_property
    def cells(self) -> dict[Cell, dict[int, float]]:
        """Accuracies in per cent by seed, of each scheme, dimension and mapping of the paper's own kind."""
        found: dict[Cell, dict[int, float]] = {}
        for record in self.grid:
            if record.test_accuracy is not None:
                cell = (record.recipe.scheme, record.recipe.dim, record.recipe.mapping)
                found.setdefault(cell, {})[record.recipe.seed] = 100 * record.test_accuracy
        return found

    @cached_property
    def noise(self) -> dict[str, Noise]:
        """Of each scheme."""
        return noise_by_scheme(self.cells)

    @property
    def grid(self) -> list[RunRecord]:
        """The runs of the paper's own kind; prototypes and split have the seed of the rest."""
        own = ("prototypes", "lindstrom")
        return [r for r in self.unaligned if r.recipe.scheme in SCHEMES and (r.recipe.head, r.recipe.preset) == own]

    @property
    def alike(self) -> list[RunRecord]:
        """All runs but those in which one seed varies alone."""
        return [r for r in self.records if max(r.recipe.prototype_seed, r.recipe.split_seed) < 0]

    @property
    def unaligned(self) -> list[RunRecord]:
        """Those of them in which no class chose its prototype: mapped as they come, or at random."""
        return [r for r in self.alike if r.recipe.mapping in ("fixed", "random")]

    def line(self) -> Regression | None:
        """Accuracy in per cent against the largest cosine, a point for each scheme, dimension and mapping."""
        cells = cells_of("max cosine", self.grid)
        return regression([cell.number for cell in cells], [cell.accuracy for cell in cells])

    @property
    def seeds(self) -> int:
        """How many different ones."""
        return len({record.recipe.seed for record in self.grid})

    @property
    def of_features(self) -> bool:
        """Whether the network saw features of images, and no images."""
        return bool(self.records) and self.records[0].recipe.dataset.endswith("-features")

    @property
    def budget(self) -> str:
        """Data, network and epochs, in words."""
        if not self.records:
            return ""
        recipe = self.records[0].recipe
        return f"{'features, ' if self.of_features else ''}{recipe.backbone}, {recipe.epochs} epochs"


def bodies_of_evidence(dataset: str, records: Iterable[RunRecord]) -> list[Evidence]:
    """The runs on a dataset and on its features, network by network; of each network the longest training there is."""
    bodies: dict[tuple[str, str], dict[int, list[RunRecord]]] = {}
    for record in records:
        recipe = record.recipe
        if record.status == "done" and recipe.dataset in (dataset, f"{dataset}-features"):
            bodies.setdefault((recipe.dataset, recipe.backbone), {}).setdefault(recipe.epochs, []).append(record)
    longest_last = sorted(bodies, key=lambda body: (body[1].startswith("resnet"), max(bodies[body])))
    return [Evidence(tuple(bodies[body][max(bodies[body])])) for body in longest_last]
