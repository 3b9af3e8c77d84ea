"""The report compares like with like: lines to compare with, intervals, and no line through a few heaps of runs."""

from __future__ import annotations

import re
from statistics import fmean, stdev

import pytest

from protosphere.plots.accuracy import (
    Trained,
    accuracy_figure,
    averages,
    line_through,
    reference_rows,
)
from protosphere.plots.report import report_page

STUDENT = {2: 12.7062047, 3: 4.3026527}
"""The 97.5 % points of Student's t for so many seeds, from a table."""


def runs_at(cosines, seeds=(0, 1, 2), variant=""):
    """Runs whose accuracy falls with the cosine, and a little with the seed."""
    return [
        Trained(
            "bch",
            10 + i,
            "fixed",
            seed,
            cosine,
            0.9 - 0.3 * cosine - 0.01 * seed,
            variant,
        )
        for i, cosine in enumerate(cosines)
        for seed in seeds
    ]


LEARNED = [
    Trained("learned layer", 10, "fixed", seed, None, 0.91 + 0.01 * seed)
    for seed in range(2)
]
ONE_HOT = [Trained("one_hot", 10, "fixed", seed, 0.0, 0.93) for seed in range(2)]


def test_no_line_through_three_cosines_and_one_through_four():
    assert line_through(runs_at([0.0, 0.1, 0.2])) is None
    assert line_through(runs_at([0.0, 0.1, 0.1 + 1e-9, 0.2])) is None, (
        "rounding makes no new cosine"
    )
    assert line_through(runs_at([0.0, 0.1, 0.2, 0.3])).slope == pytest.approx(-30)


def test_no_line_through_runs_that_differ_in_more_than_prototypes():
    runs = runs_at([0.0, 0.1, 0.2, 0.3]) + runs_at(
        [0.0, 0.1, 0.2, 0.3], variant="lr 0.5"
    )
    assert line_through(runs) is None


def test_bars_are_intervals_of_the_mean():
    (row,) = averages(runs_at([0.1], seeds=(0, 1, 4)))
    values = [0.9 - 0.03 - 0.01 * seed for seed in (0, 1, 4)]
    assert row.accuracy == pytest.approx(fmean(values))
    assert row.margin == pytest.approx(STUDENT[3] * stdev(values) / 3**0.5)
    assert averages(runs_at([0.1], seeds=(0,)))[0].margin is None


def test_one_hot_and_a_learned_layer_are_lines_across():
    runs = [*runs_at([0.0, 0.1, 0.2, 0.3]), *LEARNED, *ONE_HOT]
    assert [row.scheme for row in reference_rows(runs)] == ["learned layer", "one_hot"]
    (ax,) = accuracy_figure(averages(runs), "").axes
    across = {
        line.get_label(): line.get_ydata()[0]
        for line in ax.lines
        if list(line.get_xdata()) == [0, 1]
    }
    assert across == {
        "learned layer, n = 10": pytest.approx(91.5),
        "one-hot, n = 10": pytest.approx(93),
    }
    page = report_page("x", 10, runs, [])
    assert "learned layer, n = 10: 91.50 %, 2 seeds" in page
    assert "one-hot, n = 10: 93.00 %, 2 seeds" in page


def test_what_has_several_dimensions_is_no_line_across():
    more = [Trained("one_hot", dim, "fixed", 0, 0.0, 0.9) for dim in (10, 20)]
    assert reference_rows(more) == []


@pytest.mark.parametrize("mapping", ["fixed", "random", "align"])
def test_every_code_of_the_runs_has_one_row_in_the_table_of_bounds(mapping):
    runs = [
        Trained("bch", 10, mapping, 0, 0.25, 0.9),
        Trained("bch", 10, "fixed", 0, 0.25, 0.9),
        Trained("simplex", 9, mapping, 0, -1 / 9, 0.9),
        Trained("learned", 10, "fixed", 0, None, 0.9),
    ]
    page = report_page("x", 10, runs, [])
    table = page.split("Separation and bounds")[1].split("<h2>Runs</h2>")[0]
    assert table.count("<tr>") == 3
    assert "<td>bch</td>" in table
    assert "<td>simplex</td>" in table


def test_the_page_is_for_phones_and_for_the_dark_and_fetches_nothing():
    page = report_page("x", 10, runs_at([0.0, 0.1]), [{"scheme": "bch", "n": 10}])
    assert (
        '<meta name="viewport" content="width=device-width, initial-scale=1">' in page
    )
    assert "prefers-color-scheme: dark" in page
    assert page.count("<table>") == page.count('<div class="wide"><table>') == 2
    assert not re.search(r'<(script|link|img)[^>]*(src|href)="http', page)
