"""The empirical claims of Lindström et al. (2024) on trained networks, each with its test.

The claims are from sections 4.1 and 4.3 and appendix C of the paper.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from protosphere.experiments.record import RunRecord
from reproduction import claim_tests
from reproduction.findings import NOT_RUN, NOTHING_RUN, Finding
from reproduction.predictors import Predictor, predictors
from reproduction.results import TITLES, Results, results_by_network
from reproduction.verdicts import verdict_text


@dataclass(frozen=True)
class Claim:
    """One claim of the paper.

    Attributes:
        dataset: Name of the dataset of the claim.
        where: Section or figure of the paper.
        text: The claim in one sentence.
        test: Function from the results of one network to a finding.
    """

    dataset: str
    where: str
    text: str
    test: Callable[[Results], Finding]


NO_RESULTS = Results(())
Row = dict[str, str]
"""A row of the table of claims: a mapping from the name of a column to a text."""


def claims_table(records: Sequence[RunRecord]) -> list[Row]:
    """Test every claim on finished runs and return the table of claims.

    Args:
        records: Runs of any datasets and networks.

    Returns:
        A row for each claim and each network that it was run with; one row for a claim that was not run.
    """
    by_dataset = {name: results_by_network(name, records) for name in TITLES}
    rows: list[Row] = []
    for claim in CLAIMS:
        rows += _rows_of(claim, by_dataset[claim.dataset])
    rows.append(_weaker_row(by_dataset["mnist"], by_dataset["cifar100"]))
    return rows


def predictors_by_network(records: Sequence[RunRecord]) -> dict[str, list[Predictor]]:
    """Rank statistics of codes by how well they predict accuracy, for each dataset and network.

    Args:
        records: Runs of any datasets and networks.

    Returns:
        The statistics, best first. The keys name the dataset and the network.
    """
    found: dict[str, list[Predictor]] = {}
    for name, title in TITLES.items():
        for results in results_by_network(name, records):
            heading = f"{title}, {results.budget}"
            found[heading] = predictors(results.unaligned)
            if len(results.alike) > len(results.unaligned):
                found[f"{heading}, with aligned and opposed mappings"] = predictors(
                    results.alike
                )
    return found


def _rows_of(claim: Claim, networks: Iterable[Results]) -> list[Row]:
    without_runs = claim.test(NO_RESULTS)
    if without_runs.verdict != NOT_RUN:
        row = _row(claim, without_runs, [])
        return [row | {"budget": "needs no training"}]
    rows: list[Row] = []
    for results in networks:
        finding = claim.test(results)
        if finding.verdict != NOT_RUN:
            rows.append(_row(claim, finding, [results]))
    return rows or [_row(claim, NOTHING_RUN, [])]


def _weaker_row(mnist: Iterable[Results], cifar100: Iterable[Results]) -> Row:
    """Return the row of the claim that compares MNIST with CIFAR-100.

    For each dataset, only networks that were trained on images count, and the last of them is used.
    """
    mnist_images = [results for results in mnist if not results.of_features]
    cifar100_images = [results for results in cifar100 if not results.of_features]
    if not mnist_images or not cifar100_images:
        return _row(WEAKER, NOTHING_RUN, [])
    compared = [mnist_images[-1], cifar100_images[-1]]
    return _row(WEAKER, claim_tests.weaker(*compared), compared)


def _row(claim: Claim, finding: Finding, tested: Sequence[Results]) -> Row:
    """Return the row of a claim. Its columns "seeds" and "budget" belong to the first results in `tested`."""
    run = bool(tested) and finding.verdict != NOT_RUN
    return {
        "dataset": claim.dataset,
        "claim": claim.text,
        "where": claim.where,
        "our figures": finding.figures,
        "seeds": str(tested[0].seeds or "") if run else "",
        "budget": tested[0].budget if run else "",
        "verdict": verdict_text(finding, tested),
    }


_cifar = partial(Claim, "cifar100")
_mnist = partial(Claim, "mnist")

WEAKER = _mnist(
    "C",
    "Accuracy and maximum cosine are less correlated than on CIFAR-100",
    claim_tests.correlated,
)

_antipodal_animals = partial(
    claim_tests.antipodal, 100, 64, ((42, 43), (74, 75), (72, 73))
)
_antipodal_digits = partial(claim_tests.antipodal, 10, 8, ((4, 5), (8, 9)))
_random_bch_better = partial(claim_tests.random_beats_fixed, "bch")
_random_reed_muller_better = partial(claim_tests.random_beats_fixed, "reed_muller")

CLAIMS = (
    _cifar(
        "4.1",
        "For one-hot vectors and the simplex, the mapping of prototypes to classes does not matter",
        claim_tests.constant_cosines,
    ),
    _cifar(
        "4.3",
        "More than about n = K dimensions gain little accuracy (within 1 point)",
        claim_tests.threshold,
    ),
    _cifar(
        "4.3",
        "At n = 31, 63 and 127, BCH with random mappings is more accurate than log-sum-exp and mean row max",
        claim_tests.bch_dominates,
    ),
    _cifar(
        "4.3",
        "BCH at n = 63 is nearly as accurate as one-hot vectors (within 1.5 points)",
        claim_tests.close_to_one_hot,
    ),
    _cifar(
        "4.3",
        "The simplex at n = 99 is more accurate than all other schemes",
        claim_tests.simplex_best,
    ),
    _cifar(
        "4.3",
        "A lower maximum cosine tends to give a higher accuracy",
        claim_tests.correlated,
    ),
    _cifar(
        "4.3",
        "Accuracies vary much within and between schemes (R² below 0.9)",
        claim_tests.varied,
    ),
    _cifar(
        "4.3",
        "The random choice of the validation set causes part of the variance of accuracy (5% or more)",
        claim_tests.split_explains,
    ),
    _cifar(
        "Figure 5",
        "Some BCH code is more accurate than a BCH code of higher dimension",
        claim_tests.lower_bch_better,
    ),
    _cifar(
        "4.3",
        "BCH is more accurate with random mappings than with the fixed mapping",
        _random_bch_better,
    ),
    _cifar(
        "4.3",
        "Reed-Muller at n = 64 and 128 is less accurate than BCH at n = 63 and 127",
        claim_tests.reed_muller_lower,
    ),
    _cifar(
        "4.3",
        "Reed-Muller gives antipodal prototypes to leopard / lion, shrew / skunk and seal / shark",
        _antipodal_animals,
    ),
    _mnist(
        "C",
        "All schemes give accurate networks (every run above 90%)",
        claim_tests.all_well,
    ),
    _mnist(
        "C",
        "Log-sum-exp in fewer dimensions is more accurate than one-hot vectors and the simplex",
        claim_tests.descent_beats,
    ),
    _mnist(
        "C",
        "A lower maximum cosine tends to give a higher accuracy",
        claim_tests.correlated,
    ),
    _mnist(
        "C",
        "Accuracies vary much within and between schemes (R² below 0.9)",
        claim_tests.varied,
    ),
    _mnist(
        "C",
        "BCH is more accurate with random mappings than with the fixed mapping",
        _random_bch_better,
    ),
    _mnist(
        "C",
        "Reed-Muller is more accurate with random mappings than with the fixed mapping",
        _random_reed_muller_better,
    ),
    _mnist(
        "C",
        "Reed-Muller at n = 8 with the fixed mapping gives antipodal prototypes to 4 / 5 and 8 / 9",
        _antipodal_digits,
    ),
)
