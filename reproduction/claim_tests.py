"""Tests of the claims of Lindström et al. (2024) on trained networks.

A test is a function from the results of runs to a finding. A configuration is a combination of a scheme, a dimension
and a mapping.
"""

from math import hypot

import numpy as np

import protosphere as ps
from protosphere.spherical.statistics import ANTIPODAL
from protosphere.statistics.intervals import mean_with_interval
from protosphere.statistics.regression import NORMAL_QUANTILE, Regression
from reproduction.findings import (
    DOES_NOT,
    HOLDS,
    NOTHING_RUN,
    Finding,
    Sample,
    all_of,
    higher,
    verdict_on,
    within,
)
from reproduction.noise import Cell
from reproduction.results import Results
from reproduction.variance import FACTORS, spreads

DESCENTS = ("log_sum_exp", "mean_row_max")

NOTICEABLE = 0.05
"""Smallest fraction of a variance that counts as noticeable."""

MUCH_EXPLAINED = 0.9
"""Fraction of the variance of accuracy over configurations (R²) above which little is left unexplained."""


def weaker(mnist: Results, cifar100: Results) -> Finding:
    """Test whether the maximum cosine explains less of the variance of accuracy on MNIST than on CIFAR-100.

    The verdict depends on the 95% interval of the difference of two correlations, computed by Fisher's z-transform.

    Args:
        mnist: Results on MNIST.
        cifar100: Results on CIFAR-100.
    """
    ours = mnist.line()
    theirs = cifar100.line()
    if ours is None or theirs is None:
        return NOTHING_RUN
    left, left_error = ours.strength
    right, right_error = theirs.strength
    apart = right - left
    margin = NORMAL_QUANTILE * hypot(left_error, right_error)
    figures = f"R² {_explained(ours)} on MNIST, {_explained(theirs)} on CIFAR-100"
    cells = None
    if 0 < abs(apart) <= margin:
        cells = 4 + int(2 * (NORMAL_QUANTILE / apart) ** 2)
    return Finding(
        figures, verdict_on(apart - margin, apart + margin), cells_needed=cells
    )


def _explained(line: Regression) -> str:
    low, high = line.r_squared_interval
    return f"{line.r_squared:.2f} [{low:.2f}, {high:.2f}]"


def correlated(results: Results) -> Finding:
    """Test whether the linear regression of accuracy on the maximum cosine has a negative slope."""
    line = results.line()
    if line is None:
        return NOTHING_RUN
    slope = f"slope {line.slope:.2f} [{line.low:.2f}, {line.high:.2f}] points per unit"
    figures = f"{slope}, R² {_explained(line)}, {line.count} configurations"
    return Finding(figures, verdict_on(-line.high, -line.low))


def varied(results: Results) -> Finding:
    """Test whether the regression of accuracy on the maximum cosine explains less than 0.9 of the variance."""
    line = results.line()
    if line is None:
        return NOTHING_RUN
    low, high = line.r_squared_interval
    figures = (
        f"R² {_explained(line)} of the regression over {line.count} configurations"
    )
    return Finding(figures, verdict_on(MUCH_EXPLAINED - high, MUCH_EXPLAINED - low))


def bch_dominates(results: Results) -> Finding:
    """Test whether BCH codes with random mappings have higher accuracy than both schemes of gradient descent.

    The codes are compared in about 31, 63 and 127 dimensions.
    """
    findings: list[Finding] = []
    for n in (31, 63, 127):
        bch = results.sample("bch", [n], "random")
        for scheme in DESCENTS:
            descent = results.sample(scheme, [n, n + 1])
            findings.append(higher(bch, descent, (f"BCH {n}", f"{scheme} {n}")))
    return all_of(findings)


def simplex_best(results: Results) -> Finding:
    """Test whether the simplex has higher accuracy than the best other configuration in the grid of the paper."""
    others: dict[Cell, Sample] = {}
    for scheme, dim, mapping in sorted(results.cells):
        if scheme != "simplex":
            others[scheme, dim, mapping] = results.sample(scheme, [dim], mapping)
    simplex = results.sample("simplex", [99])
    if not simplex or not others:
        return NOTHING_RUN
    best = max(others, key=lambda cell: others[cell].mean)
    scheme, dim, mapping = best
    return higher(
        simplex,
        others[best],
        ("simplex", f"best of the others, {scheme} {dim} {mapping}"),
    )


def threshold(results: Results) -> Finding:
    """Test whether doubling the dimension from about 127 to 255 changes the accuracy by at most one percentage point.

    The claim is about dimensions above the number of classes, which is 100.
    """
    findings: list[Finding] = []
    for scheme, low, high in (
        ("bch", 127, 255),
        ("reed_muller", 128, 256),
        ("log_sum_exp", 128, 256),
    ):
        names = (f"{scheme} {high}", str(low))
        findings.append(
            within(
                results.sample(scheme, [high]),
                results.sample(scheme, [low]),
                names,
                1.0,
            )
        )
    return all_of(findings)


def lower_bch_better(results: Results) -> Finding:
    """Test whether some BCH code has higher accuracy than a longer BCH code, both with random mappings.

    The test compares the two lengths for which the shorter code has the largest advantage.
    """
    dims = (15, 31, 63, 127, 255)
    samples = {dim: results.sample("bch", [dim], "random") for dim in dims}
    means = {
        dim: sample.mean for dim, sample in samples.items() if len(sample.by_seed) > 1
    }
    pairs = [(low, high) for low in means for high in means if low < high]
    if not pairs:
        return NOTHING_RUN
    low, high = max(pairs, key=lambda pair: means[pair[0]] - means[pair[1]])
    return higher(samples[low], samples[high], (f"BCH {low}", f"BCH {high}"))


def random_beats_fixed(scheme: str, results: Results) -> Finding:
    """Test whether a scheme has higher accuracy with random mappings than with the fixed mapping.

    Args:
        scheme: Name of the scheme, such as 'simplex'.
        results: Results of one network.
    """
    random = results.sample(scheme, mapping="random")
    fixed = results.sample(scheme, mapping="fixed")
    return higher(random, fixed, (f"{scheme} random", "fixed"))


def reed_muller_lower(results: Results) -> Finding:
    """Test whether Reed-Muller codes have lower accuracy than BCH codes of about the same length."""
    findings: list[Finding] = []
    for n in (64, 128):
        bch = results.sample("bch", [n - 1])
        reed_muller = results.sample("reed_muller", [n])
        findings.append(higher(bch, reed_muller, (f"BCH {n - 1}", f"Reed-Muller {n}")))
    return all_of(findings)


def all_well(results: Results) -> Finding:
    """Test whether every run has an accuracy above 90%."""
    schemes = sorted({record.config.scheme for record in results.grid})
    if not schemes:
        return NOTHING_RUN
    means: list[str] = []
    for scheme in schemes:
        accuracies = list(results.sample(scheme).by_seed.values())
        means.append(f"{scheme} {mean_with_interval(accuracies)}")
    lowest = min(100 * (record.test_accuracy or 0.0) for record in results.grid)
    figures = f"{', '.join(means)}; lowest run {lowest:.2f}"
    return Finding(figures, HOLDS if lowest > 90 else DOES_NOT)


def descent_beats(results: Results) -> Finding:
    """Test whether log-sum-exp in 4 and 8 dimensions has higher accuracy than one-hot vectors and the simplex."""
    descent = results.sample("log_sum_exp", [4, 8])
    findings: list[Finding] = []
    for scheme, dim in (("one_hot", 10), ("simplex", 9)):
        other = results.sample(scheme, [dim])
        findings.append(higher(descent, other, ("log-sum-exp, n = 4, 8", scheme)))
    return all_of(findings)


def close_to_one_hot(results: Results) -> Finding:
    """Test whether the accuracies of BCH codes with n = 63 and of one-hot vectors differ by at most 1.5 points."""
    return within(
        results.sample("bch", [63]),
        results.sample("one_hot"),
        ("BCH 63", "one-hot"),
        1.5,
    )


def antipodal(
    num_classes: int, dim: int, expected: tuple[tuple[int, int], ...], results: Results
) -> Finding:
    """Test whether the given pairs of classes are antipodal in our Reed-Muller code. This test needs no runs.

    Args:
        num_classes: Number K of classes.
        dim: Dimension n.
        expected: Pairs of classes that the paper names.
        results: Not used; every test has this argument.
    """
    del results
    code = ps.construct("reed_muller", num_classes=num_classes, dim=dim)
    shared = [f"{i} / {j}" for i, j in expected if code[i] @ code[j] <= ANTIPODAL]
    shown = ", ".join(shared) or "no pair"
    return Finding(
        f"our order makes {shown} antipodal",
        HOLDS if len(shared) == len(expected) else DOES_NOT,
    )


def constant_cosines(results: Results) -> Finding:
    """Test whether all pairs of one-hot vectors have the same cosine, and all pairs of points of the simplex too.

    This test needs no runs.
    """
    del results
    off_diagonal = ~np.eye(100, dtype=bool)
    spread = 0.0
    for scheme, dim in (("one_hot", 100), ("simplex", 99)):
        points = ps.construct(scheme, num_classes=100, dim=dim).points
        cosines = (points @ points.T)[off_diagonal]
        spread = max(spread, float(np.ptp(cosines)))
    return Finding(
        f"all cosines of K = 100 agree to {spread:.0e}",
        HOLDS if spread < 1e-12 else DOES_NOT,
    )


def split_explains(results: Results) -> Finding:
    """Test whether the random validation split causes at least 5% of the random variance of accuracy.

    The random variance is the sum of the variances that three seeds cause: those of the mapping, the network and the
    split. Each variance is computed from runs that differ only in this seed.
    """
    found = {spread.factor: spread for spread in spreads(results.records)}
    if len(found) < len(FACTORS):
        return NOTHING_RUN
    total = sum(spread.variance for spread in found.values())
    deviations = ", ".join(
        f"{spread.factor} {spread.deviation} ({spread.runs} runs)"
        for spread in found.values()
    )
    split = found["split"]
    share = split.variance / total
    low = split.low / total
    high = split.high / total
    figures = f"standard deviations: {deviations}; the split has {100 * share:.0f}% of the variance"
    return Finding(figures, verdict_on(low - NOTICEABLE, high - NOTICEABLE))
