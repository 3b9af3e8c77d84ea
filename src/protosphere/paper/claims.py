"""Every empirical claim of the paper on trained networks (sections 4.1 and 4.3, appendix C), each with its judge."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import fmean

import numpy as np

import protosphere as ps
from protosphere.paper.evidence import (
    DOES_NOT,
    HOLDS,
    NOTHING_RUN,
    UNDECIDED,
    Evidence,
    Finding,
    all_of,
    evidence_on,
    higher,
    mean_of,
    within,
)
from protosphere.paper.opposition import opposed_pairs
from protosphere.training.records import RunRecord

DESCENTS = ("log_sum_exp", "mean_row_max")


@dataclass(frozen=True)
class Claim:
    """One claim: where it is made, of which data, and how runs are asked about it."""

    where: str
    dataset: str
    text: str
    judge: Callable[[Evidence], Finding]
    needs_runs: bool = True


@dataclass(frozen=True)
class Judged:
    """A row of the ledger."""

    claim: Claim
    finding: Finding
    seeds: int
    budget: str


def judged(records: Iterable[RunRecord]) -> list[Judged]:
    """Every claim with what the records say of it."""
    everything = list(records)
    found = {name: evidence_on(name, everything) for name in ("mnist", "cifar100")}
    weaker = Judged(WEAKER, _weaker(found["mnist"], found["cifar100"]), found["mnist"].seeds, found["mnist"].budget)
    return [*(_asked(claim, found[claim.dataset]) for claim in CLAIMS), weaker]


def _asked(claim: Claim, evidence: Evidence) -> Judged:
    if not claim.needs_runs:
        return Judged(claim, claim.judge(evidence), 0, "needs no training")
    return Judged(claim, claim.judge(evidence), evidence.seeds, evidence.budget)


def _weaker(mnist: Evidence, cifar100: Evidence) -> Finding:
    ours, theirs = mnist.line(), cifar100.line()
    if ours is None or theirs is None:
        return NOTHING_RUN
    figures = f"R² {ours.r_squared:.2f} on MNIST, {theirs.r_squared:.2f} on CIFAR-100"
    return Finding(figures, HOLDS if ours.r_squared < theirs.r_squared else DOES_NOT)


def _correlated(evidence: Evidence) -> Finding:
    line = evidence.line()
    if line is None:
        return NOTHING_RUN
    slope = f"slope {line.slope:.2f} [{line.low:.2f}, {line.high:.2f}] points per unit"
    figures = f"{slope}, R² {line.r_squared:.2f}, {line.count} runs"
    return Finding(figures, HOLDS if line.high < 0 else DOES_NOT if line.low > 0 else UNDECIDED)


def _varied(evidence: Evidence) -> Finding:
    line = evidence.line()
    if line is None:
        return NOTHING_RUN
    figures = f"the line explains {100 * line.r_squared:.0f} % of the variance over {line.count} runs"
    return Finding(figures, HOLDS if line.r_squared < 0.9 else DOES_NOT)


def _bch_dominates(evidence: Evidence) -> Finding:
    return all_of(
        [
            higher(
                evidence.accuracies("bch", [n], "random"),
                evidence.accuracies(other, [n, n + 1]),
                (f"BCH {n}", f"{other} {n}"),
            )
            for n in (31, 63, 127)
            for other in DESCENTS
        ]
    )


def _simplex_best(evidence: Evidence) -> Finding:
    cells = {
        (r.recipe.scheme, r.recipe.dim, r.recipe.mapping) for r in evidence.records if r.recipe.scheme != "simplex"
    }
    means = {cell: evidence.accuracies(cell[0], [cell[1]], cell[2]) for cell in sorted(cells)}
    simplex = evidence.accuracies("simplex", [99])
    if not simplex or not means:
        return NOTHING_RUN
    best = max(means, key=lambda cell: fmean(means[cell]))
    return higher(simplex, means[best], ("simplex", f"best of the others, {best[0]} {best[1]} {best[2]}"))


def _threshold(evidence: Evidence) -> Finding:
    pairs = (("bch", 127, 255), ("reed_muller", 128, 256), ("log_sum_exp", 128, 256))
    return all_of(
        [
            within(evidence.accuracies(s, [high]), evidence.accuracies(s, [low]), (f"{s} {high}", str(low)), 1.0)
            for s, low, high in pairs
        ]
    )


def _lower_bch_better(evidence: Evidence) -> Finding:
    dims = (15, 31, 63, 127, 255)
    means = {dim: fmean(values) for dim in dims if len(values := evidence.accuracies("bch", [dim], "random")) > 1}
    pairs = [(low, high) for low in means for high in means if low < high]
    if not pairs:
        return NOTHING_RUN
    low, high = max(pairs, key=lambda pair: means[pair[0]] - means[pair[1]])
    left, right = (evidence.accuracies("bch", [dim], "random") for dim in (low, high))
    return higher(left, right, (f"BCH {low}", f"BCH {high}"))


def _random_beats_fixed(scheme: str) -> Callable[[Evidence], Finding]:
    def judge(evidence: Evidence) -> Finding:
        left, right = (evidence.accuracies(scheme, mapping=mapping) for mapping in ("random", "fixed"))
        return higher(left, right, (f"{scheme} random", "fixed"))

    return judge


def _reed_muller_lower(evidence: Evidence) -> Finding:
    return all_of(
        [
            higher(
                evidence.accuracies("bch", [n - 1]),
                evidence.accuracies("reed_muller", [n]),
                (f"BCH {n - 1}", f"Reed-Muller {n}"),
            )
            for n in (64, 128)
        ]
    )


def _all_well(evidence: Evidence) -> Finding:
    schemes = sorted({record.recipe.scheme for record in evidence.records})
    means = {scheme: evidence.accuracies(scheme) for scheme in schemes}
    if not means:
        return NOTHING_RUN
    lowest = min(min(values) for values in means.values())
    figures = ", ".join(f"{scheme} {mean_of(values)}" for scheme, values in means.items())
    return Finding(f"{figures}; lowest run {lowest:.2f}", HOLDS if lowest > 90 else DOES_NOT)


def _descent_beats(evidence: Evidence) -> Finding:
    ours = evidence.accuracies("log_sum_exp", [4, 8])
    others = (("one_hot", 10), ("simplex", 9))
    return all_of([higher(ours, evidence.accuracies(s, [n]), ("log-sum-exp, n = 4, 8", s)) for s, n in others])


def _close_to_one_hot(evidence: Evidence) -> Finding:
    return within(evidence.accuracies("bch", [63]), evidence.accuracies("one_hot"), ("BCH 63", "one-hot"), 1.5)


def _opposed(num_classes: int, dim: int, expected: tuple[tuple[int, int], ...]) -> Callable[[Evidence], Finding]:
    """Whether our fixed mapping opposes the same pairs; needs no run."""

    def judge(evidence: Evidence) -> Finding:
        del evidence
        code = ps.construct("reed_muller", num_classes=num_classes, dim=dim)
        names = tuple(str(number) for number in range(num_classes))
        ours = {(pair.first, pair.second) for pair in opposed_pairs(code, names)}
        shared = [f"{i} / {j}" for i, j in expected if (i, j) in ours]
        shown = ", ".join(shared) or "none of them"
        return Finding(f"our order opposes {shown}", HOLDS if len(shared) == len(expected) else DOES_NOT)

    return judge


def _constant_cosines(evidence: Evidence) -> Finding:
    """Whether every two prototypes of one-hot and of the simplex have the same cosine; needs no run."""
    del evidence
    codes = [ps.construct(scheme, num_classes=100, dim=dim) for scheme, dim in (("one_hot", 100), ("simplex", 99))]
    spread = max(float(np.ptp((code.points @ code.points.T)[~np.eye(100, dtype=bool)])) for code in codes)
    return Finding(f"all cosines of K = 100 agree to {spread:.0e}", HOLDS if spread < 1e-12 else DOES_NOT)


def _split_explains(evidence: Evidence) -> Finding:
    """Would need runs that share a seed for everything but the split, which no sweep has done."""
    del evidence
    return NOTHING_RUN


WEAKER = Claim("C", "mnist", "The correlation is weaker than on CIFAR-100", _correlated)

CLAIMS = (
    Claim("4.1", "cifar100", "One-hot and simplex: the mapping does not matter", _constant_cosines, needs_runs=False),
    Claim(
        "4.3", "cifar100", "A threshold around n = K: little is gained by more dimensions (within 1 point)", _threshold
    ),
    Claim("4.3", "cifar100", "n = 31, 63, 127: BCH over random mappings beats the descents", _bch_dominates),
    Claim("4.3", "cifar100", "BCH at n = 63 is close to one-hot (within 1.5 points)", _close_to_one_hot),
    Claim("4.3", "cifar100", "The simplex at n = 99 is best", _simplex_best),
    Claim("4.3", "cifar100", "More dissimilar prototypes give better accuracy", _correlated),
    Claim("4.3", "cifar100", "… with much variance within and between schemes (R² below .9)", _varied),
    Claim("4.3", "cifar100", "Part of the variance is explained by the random validation set", _split_explains),
    Claim("Figure 5", "cifar100", "Some BCH code of lower dimension beats one of higher", _lower_bch_better),
    Claim("4.3", "cifar100", "BCH: random mappings beat the fixed one", _random_beats_fixed("bch")),
    Claim("4.3", "cifar100", "Reed-Muller at n = 64, 128 is below BCH at 63, 127", _reed_muller_lower),
    Claim(
        "4.3",
        "cifar100",
        "Reed-Muller opposes leopard / lion, shrew / skunk, seal / shark",
        _opposed(100, 64, ((42, 43), (74, 75), (72, 73))),
        needs_runs=False,
    ),
    Claim("C", "mnist", "All schemes perform well (every run above 90 %)", _all_well),
    Claim("C", "mnist", "Log-sum-exp in lower dimension beats one-hot and the simplex", _descent_beats),
    Claim("C", "mnist", "A smaller max cosine goes with better accuracy", _correlated),
    Claim("C", "mnist", "… with a large variance within and between schemes (R² below .9)", _varied),
    Claim("C", "mnist", "BCH: random mappings beat the fixed one", _random_beats_fixed("bch")),
    Claim("C", "mnist", "Reed-Muller: random mappings beat the fixed one", _random_beats_fixed("reed_muller")),
    Claim(
        "C", "mnist", "Reed-Muller at n = 8, fixed, opposes 4 / 5 and 8 / 9", _opposed(10, 8, ((4, 5), (8, 9))), False
    ),
)
