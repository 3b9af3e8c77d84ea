"""What `best` says about searches: where one was kept or run, and where none was."""

import pytest

import protosphere as ps
from protosphere.tables.catalogue import shipped_catalogue

UNSEARCHED = "Not searched here"


@pytest.mark.slow
@pytest.mark.parametrize(("num_classes", "dim"), [(3000, 40), (1100, 70), (20_000, 24)])
def test_choice_says_where_nothing_was_searched(num_classes: int, dim: int):
    assert not shipped_catalogue().covers(num_classes, dim)
    code = ps.best(num_classes=num_classes, dim=dim, iterations=0)
    assert code.choice is not None
    assert not code.certificate.optimal
    assert UNSEARCHED in code.choice.reason


@pytest.mark.parametrize(
    ("num_classes", "dim"), [(100, 16), (300, 40), (512, 24), (724, 33)]
)
def test_choice_of_a_searched_size_does_not_say_so(num_classes: int, dim: int):
    assert shipped_catalogue().covers(num_classes, dim)
    code = ps.best(num_classes=num_classes, dim=dim, iterations=0)
    assert code.choice is not None
    assert UNSEARCHED not in code.choice.reason


def test_a_new_search_counts_as_searched():
    code = ps.best(num_classes=320, dim=70, iterations=20)
    assert code.choice is not None
    assert UNSEARCHED not in code.choice.reason


def test_an_optimal_code_needs_no_search():
    code = ps.best(num_classes=2000, dim=1500, iterations=0)
    assert code.choice is not None
    assert code.certificate.optimal
    assert UNSEARCHED not in code.choice.reason


def test_every_size_of_the_atlas_up_to_a_thousand_was_searched_in_64_dimensions():
    catalogue = shipped_catalogue()
    for num_classes in (362, 512, 724, 1000):
        assert all(catalogue.covers(num_classes, dim) for dim in range(3, 65))
    assert not catalogue.covers(1024, 30)
