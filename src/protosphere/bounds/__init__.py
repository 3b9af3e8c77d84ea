"""How far apart points can be: one theorem a file, and the tightest of them."""

from protosphere.bounds.bound import Bound
from protosphere.bounds.coxeter_boroczky import coxeter_boroczky
from protosphere.bounds.gilbert_varshamov import gilbert_varshamov, gilbert_varshamov_distance
from protosphere.bounds.levenshtein import levenshtein
from protosphere.bounds.linear_programming import linear_programming
from protosphere.bounds.one_hot import one_hot
from protosphere.bounds.rankin import rankin
from protosphere.bounds.singleton import singleton_distance
from protosphere.bounds.tightest import achievable, converse, paper_converse
from protosphere.bounds.welch import welch_antipodal

__all__ = [
    "Bound",
    "achievable",
    "converse",
    "coxeter_boroczky",
    "gilbert_varshamov",
    "gilbert_varshamov_distance",
    "levenshtein",
    "linear_programming",
    "one_hot",
    "paper_converse",
    "rankin",
    "singleton_distance",
    "welch_antipodal",
]
