"""What the page's scripts compute is what the package computes: bounds, codes of every scheme, certificates."""

from __future__ import annotations

import json
import random
from fractions import Fraction

import pytest

import protosphere as ps
from protosphere import bounds
from protosphere.atlas_page.measurements import CHECKPOINTS
from protosphere.atlas_page.serving import LARGEST_PAGE_DIM, MOST_CLASSES
from protosphere.constructions.best.candidates import candidates, certified_quickly
from protosphere.errors import InfeasibleError
from protosphere.spherical.cosines import cosine_spectrum
from protosphere.spherical.statistics import code_statistics


def random_cells(seed, count, most=MOST_CLASSES, largest=LARGEST_PAGE_DIM):
    draw = random.Random(seed)
    return [
        (int(2 * (most / 2) ** draw.random()), int(largest ** draw.random()))
        for _ in range(count)
    ]


def exact(value):
    return str(value) if isinstance(value, Fraction) else None


def test_bounds_are_those_of_the_package(evaluated):
    edges = [
        (2, 1),
        (3, 1),
        (3, 2),
        (4, 2),
        (12, 3),
        (120, 4),
        (240, 8),
        (196_560, 24),
        (10**6, 3),
        (10**6, 1024),
    ]
    for row in bounds.PROVED_OPTIMA:
        if row.num_classes < MOST_CLASSES:
            edges += [
                (row.num_classes, row.dim),
                (row.num_classes - 1, row.dim),
                (row.num_classes + 1, row.dim - 1),
            ]
    cells = [*random_cells(1, 150), *edges]
    found = evaluated(
        f"{json.dumps(cells)}.map(([K, n]) => [converse(K, n), achievable(K, n), paperBounds(K, n)])"
    )
    for (K, n), (converse, achievable, paper) in zip(cells, found, strict=True):
        bound = bounds.converse(K, n)
        assert converse["value"] == pytest.approx(float(bound), abs=1e-14)
        assert (converse["theorem"], converse["exact"]) == (
            bound.theorem,
            exact(bound.value),
        )
        try:
            certain = bounds.achievable(K, n)
        except InfeasibleError:
            assert achievable is None
        else:
            assert (achievable["value"], achievable["theorem"]) == (
                pytest.approx(float(certain)),
                certain.theorem,
            )
        assert paper["converse"] == float(bounds.paper_converse(K, n))


def built(one):
    """The code that the page's command makes."""
    options = {"modify": True} if one.get("modify") else {}
    return ps.construct(one["scheme"], num_classes=one["K"], dim=one["n"], **options)


def check_code(one, proof):
    """The page's certificate of one of its points is that of the code."""
    found = built(one).certificate
    if one["known"] == "promised":
        assert float(found.max_cosine) <= one["value"] + 1e-9
    else:
        assert one["value"] == pytest.approx(float(found.max_cosine), abs=1e-9)
        assert one["exact"] == exact(found.max_cosine)
        assert proof["gap"] == pytest.approx(found.gap, abs=1e-9)
        assert proof["optimal"] == found.optimal
    assert proof["bound"]["theorem"] == found.converse.theorem
    promise = None if one["guarantee"] is None else Fraction(one["guarantee"])
    assert float(promise) == pytest.approx(float(found.guarantee), abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_points_of_all_schemes_are_what_their_commands_make(evaluated, seed):
    draw = random.Random(seed)
    K = [
        draw.randrange(2, 40),
        1000,
        draw.randrange(40, 400),
        draw.randrange(400, 1500),
    ][seed]
    expression = f"[...schemePoints({K}, 300, askedDims(2, 300)).values()].flat().map((one) => [one, certificate(one)])"
    points = [
        pair
        for pair in evaluated(expression)
        if pair[0]["scheme"] != "best" and pair[0]["K"] == K
    ]
    assert len({one["scheme"] for one, _ in points}) >= 8
    slow = ("uniform", "mean_row_max", "log_sum_exp", "generalized_quadrangle")
    for one, proof in draw.sample(
        [pair for pair in points if pair[0]["scheme"] not in slow], 20
    ):
        check_code(one, proof)


def test_steps_beyond_what_is_measured_pair_by_pair(evaluated):
    draw = random.Random(7)
    cells = "[3000, 20000, 70000, 150000].flatMap((K) => [...schemePoints(K, 130, []).values()].flat())"
    points = [
        one
        for one in evaluated(cells)
        if one["scheme"] in ("shortened_cosets", "best_known_linear", "bch", "gold")
    ]
    for one in draw.sample(points, 10):
        found = built(one).certificate.max_cosine
        assert float(found) <= one["value"] + 1e-9
        if one["known"] == "measured":
            assert one["exact"] == exact(found)


def test_no_recommendation_is_worse_than_what_best_is_promised(evaluated):
    cells = random_cells(3, 16, largest=200)
    found = evaluated(f"{json.dumps(cells)}.map(([K, n]) => recommendation(K, n))")
    for (K, n), advice in zip(cells, found, strict=True):
        promised = [
            float(one.max_cosine)
            for one in candidates(K, n)
            if certified_quickly(one.scheme, K, n)
        ]
        if promised:
            assert advice["chosen"]["value"] <= min(promised) + 1e-9, (
                K,
                n,
                advice["chosen"],
            )
            assert advice["chosen"]["n"] <= n
            assert advice["chosen"]["K"] >= K


def test_the_price_is_where_a_code_meets_the_converse(evaluated):
    cells = random_cells(4, 15, most=5000)
    for (K, n), advice in zip(
        cells,
        evaluated(f"{json.dumps(cells)}.map(([K, n]) => recommendation(K, n))"),
        strict=True,
    ):
        chosen = advice["chosen"]
        later = advice["later"]
        if advice["optimal"]:
            assert chosen["value"] == pytest.approx(
                float(bounds.converse(K, n)), abs=1e-10
            )
        elif later:
            assert later["n"] > n
            assert later["value"] == pytest.approx(
                float(bounds.converse(K, later["n"])), abs=1e-10
            )


@pytest.mark.parametrize(
    "scheme",
    [
        "kerdock",
        "lifted_bases",
        "best_known_linear",
        "cross_polytope",
        "orthogonal_simplices",
    ],
)
def test_cosines_and_statistics_are_those_of_the_code(evaluated, scheme):
    K = 100
    expression = f"schemePoints({K}, 64, []).get('{scheme}').map((one) => [one, spectrumOf(one)])"
    one, spectrum = evaluated(expression)[-1]
    code = built(one)
    assert spectrum["K"] == K in CHECKPOINTS
    if "levels" in spectrum and scheme != "lifted_bases":
        counted = [
            (pytest.approx(float(cosine), abs=1e-6), pairs)
            for cosine, pairs in cosine_spectrum(code).items()
        ]
        assert [tuple(level) for level in spectrum["levels"]] == counted
    even = evaluated(f"framePotential({json.dumps(spectrum)})")
    truth = code_statistics(code)
    assert even["antipodal"] == truth.antipodal_pairs
    assert even["energy"] == pytest.approx(truth.energy, rel=1e-4)
    assert even["minimum"] == pytest.approx(float(truth.min_cosine), abs=1e-6)
