"""Bounds on the maximum cosine of K points in R^n, one module per theorem.

A converse is a lower bound: every set of K points has at least this maximum cosine. An achievable bound shows what is
possible: some set of K points has at most this maximum cosine.
"""

# The order matters: of equal bounds the first one is returned.
# isort: off
from protosphere.bounds.rankin import rankin as rankin
from protosphere.bounds.levenshtein import levenshtein as levenshtein
from protosphere.bounds.coxeter_boroczky import coxeter_boroczky as coxeter_boroczky
from protosphere.bounds.proved_optimum import proved_optimum as proved_optimum
from protosphere.bounds.linear_programming import (
    linear_programming as linear_programming,
)
from protosphere.bounds.paper_converse import paper_converse as paper_converse
from protosphere.bounds.one_hot import one_hot as one_hot
from protosphere.bounds.gilbert_varshamov import gilbert_varshamov as gilbert_varshamov
# isort: on

from protosphere.bounds.bound import Bound as Bound
from protosphere.bounds.dual_polynomial import DualPolynomial as DualPolynomial
from protosphere.bounds.dual_polynomial import dual_polynomial as dual_polynomial
from protosphere.bounds.gilbert_varshamov import (
    gilbert_varshamov_distance as gilbert_varshamov_distance,
)
from protosphere.bounds.proved_optimum import PROVED_OPTIMA as PROVED_OPTIMA
from protosphere.bounds.registry import BOUNDS as BOUNDS
from protosphere.bounds.singleton import singleton_distance as singleton_distance
from protosphere.bounds.tightest import achievable as achievable
from protosphere.bounds.tightest import converse as converse
from protosphere.bounds.welch import welch_antipodal as welch_antipodal
from protosphere.bounds.welch import welch_mean_square as welch_mean_square
