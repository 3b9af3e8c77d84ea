"""Every empirical claim of the paper on trained networks (sections 4.1 and 4.3, appendix C), each with its judge."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from protosphere.training.records import RunRecord
from reproduction import claim_tests as judges
from reproduction.findings import NOT_RUN, NOTHING_RUN, Finding
from reproduction.predictors import Predictor, predictors
from reproduction.results import Evidence, bodies_of_evidence

TITLES = {"cifar100": "CIFAR-100", "mnist": "MNIST"}


@dataclass(frozen=True)
class Claim:
    """One claim: of which data, where it is made, and how runs are asked about it."""

    dataset: str
    where: str
    text: str
    judge: Callable[[Evidence], Finding]


NO_RUNS = Evidence(())
Row = dict[str, str]
"""A row of the ledger by its columns, the claim's dataset first."""


def judged(records: Sequence[RunRecord]) -> list[Row]:
    """Every claim with what the records say of it: a row for each network that it was run with, or one without."""
    bodies = {name: bodies_of_evidence(name, records) for name in ("mnist", "cifar100")}
    rows = [row for claim in CLAIMS for row in _asked(claim, bodies[claim.dataset])]
    return rows + _weaker(bodies["mnist"], bodies["cifar100"])


def predicted(records: Sequence[RunRecord]) -> dict[str, list[Predictor]]:
    """For each data set and network, by a name for people, which numbers of codes predict accuracy."""
    found: dict[str, list[Predictor]] = {}
    for name, title in TITLES.items():
        for body in bodies_of_evidence(name, records):
            found[f"{title}, {body.budget}"] = predictors(body.unaligned)
            if len(body.alike) > len(body.unaligned):
                found[f"{title}, {body.budget}, aligned and opposed classes too"] = predictors(body.alike)
    return found


def _asked(claim: Claim, bodies: Iterable[Evidence]) -> list[Row]:
    without_runs = claim.judge(NO_RUNS)
    if without_runs.verdict != NOT_RUN:
        return [_row(claim, without_runs, NO_RUNS) | {"budget": "needs no training"}]
    asked = [_row(claim, claim.judge(body), body) for body in bodies]
    return [row for row in asked if row["verdict"] != NOT_RUN] or [_row(claim, NOTHING_RUN, NO_RUNS)]


def _weaker(mnist: Iterable[Evidence], cifar100: Iterable[Evidence]) -> list[Row]:
    """Of images, which both have: the longest training of each."""
    ours, theirs = ([body for body in bodies if not body.of_features] for bodies in (mnist, cifar100))
    if not ours or not theirs:
        return [_row(WEAKER, NOTHING_RUN, NO_RUNS)]
    return [_row(WEAKER, judges.weaker(ours[-1], theirs[-1]), ours[-1])]


def _row(claim: Claim, finding: Finding, body: Evidence) -> Row:
    """A claim and what `body` says of it; one that was not run has neither seeds nor budget."""
    row = {"dataset": claim.dataset, "claim": claim.text, "where": claim.where, "our figures": finding.figures}
    run = finding.verdict != NOT_RUN
    return row | {"seeds": str(body.seeds or "") * run, "budget": body.budget * run, "verdict": finding.told}


_cifar, _mnist = partial(Claim, "cifar100"), partial(Claim, "mnist")

WEAKER = _mnist("C", "The correlation is weaker than on CIFAR-100", judges.correlated)

_opposed_animals = partial(judges.opposed, 100, 64, ((42, 43), (74, 75), (72, 73)))
_opposed_digits = partial(judges.opposed, 10, 8, ((4, 5), (8, 9)))

CLAIMS = (
    _cifar("4.1", "One-hot and simplex: the mapping does not matter", judges.constant_cosines),
    _cifar("4.3", "A threshold around n = K: little is gained by more dimensions (within 1 point)", judges.threshold),
    _cifar("4.3", "n = 31, 63, 127: BCH over random mappings beats the descents", judges.bch_dominates),
    _cifar("4.3", "BCH at n = 63 is close to one-hot (within 1.5 points)", judges.close_to_one_hot),
    _cifar("4.3", "The simplex at n = 99 is best", judges.simplex_best),
    _cifar("4.3", "More dissimilar prototypes give better accuracy", judges.correlated),
    _cifar("4.3", "… with much variance within and between schemes (R² below .9)", judges.varied),
    _cifar("4.3", "Part of the variance (5 % or more) is that of the random validation set", judges.split_explains),
    _cifar("Figure 5", "Some BCH code of lower dimension beats one of higher", judges.lower_bch_better),
    _cifar("4.3", "BCH: random mappings beat the fixed one", partial(judges.random_beats_fixed, "bch")),
    _cifar("4.3", "Reed-Muller at n = 64, 128 is below BCH at 63, 127", judges.reed_muller_lower),
    _cifar("4.3", "Reed-Muller opposes leopard / lion, shrew / skunk, seal / shark", _opposed_animals),
    _mnist("C", "All schemes perform well (every run above 90 %)", judges.all_well),
    _mnist("C", "Log-sum-exp in lower dimension beats one-hot and the simplex", judges.descent_beats),
    _mnist("C", "A smaller max cosine goes with better accuracy", judges.correlated),
    _mnist("C", "… with a large variance within and between schemes (R² below .9)", judges.varied),
    _mnist("C", "BCH: random mappings beat the fixed one", partial(judges.random_beats_fixed, "bch")),
    _mnist("C", "Reed-Muller: random mappings beat the fixed one", partial(judges.random_beats_fixed, "reed_muller")),
    _mnist("C", "Reed-Muller at n = 8, fixed, opposes 4 / 5 and 8 / 9", _opposed_digits),
)
