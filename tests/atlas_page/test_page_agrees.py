"""The page and `ps.best` without a new search agree on the code for (K, n)."""

import json
import random

import pytest

import protosphere as ps
from protosphere.tables.table_files import REBUILD_TOLERANCE

TIES = [(8, 5), (91, 18), (107, 20), (224, 56), (918, 42), (964, 41)]
"""Where algebraic codes of several schemes have the lowest max cosine."""


def test_page_and_best_agree_on_the_cosine_and_on_the_code(evaluated):
    draw = random.Random(11)
    cells = [
        (int(8 * 125 ** draw.random()), int(3 * 21 ** draw.random())) for _ in range(12)
    ]
    cells += [(draw.randrange(301, 1000), draw.randrange(20, 60)) for _ in range(6)]
    cells += TIES
    found = evaluated(
        f"{json.dumps(cells)}.map(([K, n]) => recommendation(K, n).chosen)"
    )
    for (num_classes, dim), shown in zip(cells, found, strict=True):
        code = ps.best(num_classes=num_classes, dim=dim, iterations=0)
        assert shown["value"] == pytest.approx(
            float(code.max_cosine), abs=REBUILD_TOLERANCE
        ), (num_classes, dim)
        chosen = code.choice.considered[0]
        scheme = "best" if chosen.scheme == "optimized" else chosen.scheme
        assert shown["scheme"] == scheme, (num_classes, dim)
        if shown["scheme"] == "best" and (shown["K"], shown["n"]) != (num_classes, dim):
            assert f"part of K = {shown['K']}, n = {shown['n']}," in chosen.description


def test_page_says_which_codes_were_searched_for(evaluated):
    cells = [[300, 64], [301, 64], [512, 64], [512, 65], [1000, 3], [1024, 20]]
    found = evaluated(
        f"{json.dumps(cells)}.map(([K, n]) => searchedHere({{ K, n, known: 'measured' }}))"
    )
    assert found == [True, False, True, False, True, False]
