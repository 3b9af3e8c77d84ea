"""Lower tail of the symmetric binomial distribution, in logarithms because the tail itself underflows in float64."""

from math import atanh, fsum, log, log1p, pi, sqrt

import numpy as np

from protosphere.bounds.quadrature import gauss_legendre

STIRLING_FROM = 16  # below it the series for log n! is not yet exact to rounding
NEGLIGIBLE = 45.0  # exp(-45) of a sum of order one is lost in rounding


def log_tail(x: int, trials: int) -> float:
    """Return log P(X <= x) for X ~ Binomial(trials, 1/2), where 0 <= x < trials / 2.

    The relative error of the probability is about 1e-15.

    Args:
        x: Largest value, 0 <= x < trials / 2.
        trials: Number of trials.

    >>> round(float(np.exp(log_tail(1, 4))), 12)  # (1 + 4) / 16
    0.3125
    """
    return log_mass(x, trials) + log(tail_over_mass(x, trials))


def log_mass(x: int, trials: int) -> float:
    """Return log P(X = x) for X ~ Binomial(trials, 1/2).

    The relative error of the probability is about 1e-15.

    Args:
        x: Number of successes, 0 <= x < trials / 2.
        trials: Number of trials.
    """
    if x < STIRLING_FROM:
        return fsum(log((trials - i) / (i + 1)) for i in range(x)) - trials * log(2)
    u = (trials - 2 * x) / trials  # Loader's saddle-point formula avoids cancellation
    if u < 0.5:
        divergence = trials / 2 * (log1p(-u * u) + 2 * u * atanh(u))
    else:
        divergence = relative_entropy(x, trials)
    spread = 0.5 * log(2 * pi * x * ((trials - x) / trials))
    return (
        stirling_error(trials)
        - stirling_error(x)
        - stirling_error(trials - x)
        - spread
        - divergence
    )


def relative_entropy(x: int, trials: int) -> float:
    """Return n times the Kullback-Leibler divergence of a coin with heads probability x / n from a fair coin.

    Args:
        x: Number of successes, 0 < x < n.
        trials: Number n of trials.
    """
    return x * log(2 * x / trials) + (trials - x) * log(2 * (trials - x) / trials)


def stirling_error(m: int) -> float:
    """Return the error of Stirling's formula, log m! - log(sqrt(2 pi m) (m/e)^m), for m of at least 16.

    Args:
        m: The number whose factorial is approximated.
    """
    square = 1 / m**2
    return (
        1 / 12
        - square * (1 / 360 - square * (1 / 1260 - square * (1 / 1680 - square / 1188)))
    ) / m


def tail_over_mass(x: int, trials: int) -> float:
    """Return P(X <= x) / P(X = x) for X ~ Binomial(trials, 1/2).

    Args:
        x: Largest value, 0 <= x < trials / 2.
        trials: Number of trials.
    """
    # The ratio is (trials - x) times the integral over [0, 1] of (1-v)^(trials-x-1) (1+v)^x dv.
    drop = trials - 2 * x - 1
    end = min(1.0, 2 * NEGLIGIBLE / (drop + sqrt(drop**2 + 2 * NEGLIGIBLE * trials)))
    nodes, weights = gauss_legendre(64)  # enough for exp(-45 v)
    v = end * nodes
    integrand = np.exp(x * np.log1p(-v * v) + drop * np.log1p(-v))
    return (trials - x) * end * float(weights @ integrand)
