"""The class `Results`: finished runs with the same dataset, network and number of epochs. Claims are tested on them."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean

from protosphere.experiments.config_files import load_config
from protosphere.experiments.record import RunRecord
from protosphere.statistics.regression import Regression, regression
from reproduction.experiments import PRESET
from reproduction.findings import Sample
from reproduction.noise import Cell, Noise, noise_by_scheme
from reproduction.predictors import cells_of

TITLES = {"cifar100": "CIFAR-100", "mnist": "MNIST"}
"""Titles of the datasets in the experiments of Lindström et al. (2024), by name."""

FEATURES = "-features"
"""Ending of the names of datasets of features; the text before it is the name of the dataset of images."""

SCHEMES = ("one_hot", "simplex", "bch", "reed_muller", "log_sum_exp", "mean_row_max")
"""Names of the schemes in the training experiments of Lindström et al. (2024)."""


@dataclass(frozen=True)
class Results:
    """Finished runs with the same dataset, network and number of epochs.

    A configuration is a combination of a scheme, a dimension and a mapping.

    Attributes:
        records: Records of the runs.
    """

    records: tuple[RunRecord, ...]

    def sample(
        self, scheme: str, dims: Iterable[int] = (), mapping: str | None = None
    ) -> Sample:
        """Return the mean accuracy over some configurations of a scheme, for each seed.

        Args:
            scheme: Name of the scheme, such as 'simplex'.
            dims: Dimensions of the configurations; empty for all dimensions.
            mapping: Mapping of the configurations, "fixed" or "random"; None for both mappings.
        """
        wanted = set(dims)
        found = {
            cell: own
            for cell, own in self.cells.items()
            if cell[0] == scheme
            and (not wanted or cell[1] in wanted)
            and mapping in (None, cell[2])
        }
        seeds = sorted({seed for own in found.values() for seed in own})
        means = {
            seed: fmean(own[seed] for own in found.values() if seed in own)
            for seed in seeds
        }
        return Sample(
            means, scheme, max(1, len(found)), self.noise.get(scheme, Noise())
        )

    @cached_property
    def cells(self) -> dict[Cell, dict[int, float]]:
        """Accuracies in percent of the runs in `grid`, by configuration and seed."""
        found: dict[Cell, dict[int, float]] = {}
        for record in self.grid:
            if record.test_accuracy is not None:
                cell = (record.config.scheme, record.config.dim, record.config.mapping)
                found.setdefault(cell, {})[record.config.seed] = (
                    100 * record.test_accuracy
                )
        return found

    @cached_property
    def noise(self) -> dict[str, Noise]:
        """Squared residuals of the accuracies, summed for each scheme, by the name of the scheme."""
        return noise_by_scheme(self.cells)

    @property
    def grid(self) -> list[RunRecord]:
        """Runs of `unaligned` with the schemes and the preset of Lindström et al. (2024)."""
        own = ("prototypes", PRESET)
        return [
            r
            for r in self.unaligned
            if r.config.scheme in SCHEMES and (r.config.head, r.config.preset) == own
        ]

    @property
    def alike(self) -> list[RunRecord]:
        """Runs that use the seed of the run also for the prototypes and the split, instead of separate seeds."""
        return [
            r
            for r in self.records
            if max(r.config.prototype_seed, r.config.split_seed) < 0
        ]

    @property
    def unaligned(self) -> list[RunRecord]:
        """Runs of `alike` with the mapping "fixed" or "random". These mappings do not use the similarity of classes."""
        return [r for r in self.alike if r.config.mapping in ("fixed", "random")]

    def line(self) -> Regression | None:
        """Return the regression of accuracy in percent on the maximum cosine, over the configurations in `grid`."""
        cells = cells_of("max cosine", self.grid)
        return regression(
            [cell.number for cell in cells], [cell.accuracy for cell in cells]
        )

    @property
    def seeds(self) -> int:
        """Number of different seeds of the runs in `grid`."""
        return len({record.config.seed for record in self.grid})

    @property
    def of_features(self) -> bool:
        """Whether the network was trained on features of images instead of images."""
        return bool(self.records) and self.records[0].config.dataset.endswith(FEATURES)

    @property
    def budget(self) -> str:
        """Text with the network and the number of epochs; empty if there are no runs.

        The text begins with "features" if the network was trained on features.
        """
        if not self.records:
            return ""
        kind = "features, " if self.of_features else ""
        config = self.records[0].config
        return f"{kind}{config.backbone}, {config.epochs} epochs"

    @property
    def network(self) -> str:
        """Text with the network, the number of epochs and the data; empty if there are no runs."""
        if not self.records:
            return ""
        config = self.records[0].config
        images = config.dataset.removesuffix(FEATURES)
        data = TITLES.get(images, images)
        if self.of_features:
            data = f"features of {data}"
        fewest = self.fewest_examples
        if fewest:
            data = f"{fewest} examples of {data}"
        return f"{config.backbone}, {config.epochs} epochs, {data}"

    @property
    def fewest_examples(self) -> int:
        """Smallest number of training examples to which a run was limited; 0 if every run had all examples."""
        limits = [
            record.config.train_images
            for record in self.records
            if record.config.train_images
        ]
        return min(limits, default=0)

    @property
    def at_paper_scale(self) -> bool:
        """Whether the runs have network and data of Lindström et al. (2024), and at least as many epochs."""
        if not self.records:
            return False
        config = self.records[0].config
        if config.dataset not in TITLES or self.fewest_examples:
            return False
        paper = load_config(f"paper-{config.dataset}")
        return config.backbone == paper.backbone and config.epochs >= paper.epochs


def results_by_network(dataset: str, records: Iterable[RunRecord]) -> list[Results]:
    """Group the finished runs on a dataset by network.

    Runs on features of the dataset form groups of their own. If a network was trained with several numbers of epochs,
    only the runs with the largest number are kept.

    Args:
        dataset: Name of the dataset of images.
        records: Runs of any datasets.

    Returns:
        The results of each network. They are in ascending order of the number of epochs, except that ResNets are last.
    """
    found: dict[tuple[str, str], dict[int, list[RunRecord]]] = {}
    for record in records:
        config = record.config
        if record.status != "done" or config.dataset.removesuffix(FEATURES) != dataset:
            continue
        by_epochs = found.setdefault((config.dataset, config.backbone), {})
        by_epochs.setdefault(config.epochs, []).append(record)

    def resnets_last(network: tuple[str, str]) -> tuple[bool, int]:
        return network[1].startswith("resnet"), max(found[network])

    ordered = sorted(found, key=resnets_last)
    return [Results(tuple(found[network][max(found[network])])) for network in ordered]
