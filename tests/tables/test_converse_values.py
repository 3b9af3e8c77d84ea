"""The table of best converses: ten, a hundred and a thousand points in 4 to 1024 dimensions."""

import pytest

from protosphere.bounds import converse, levenshtein, linear_programming

TABLE = {
    10: [0.1667, 0, -0.1111, -0.1111, -0.1111, -0.1111, -0.1111, -0.1111, -0.1111],
    100: [0.7867, 0.3782, 0.1533, 0.0338, 0, -0.0101, -0.0101, -0.0101, -0.0101],
    1000: [0.9527, 0.6640, 0.3529, 0.1697, 0.0916, 0.0366, 0.0073, 0, -0.0010],
}
NEEDS_LINEAR_PROGRAMMING = {
    (100, 4): 0.7850,
    (1000, 8): 0.6596,
}  # and what the other theorems give
CELLS = [
    (K, 2 ** (i + 2), value) for K, row in TABLE.items() for i, value in enumerate(row)
]


@pytest.mark.parametrize(("K", "n", "value"), CELLS)
def test_best_converse(K, n, value):
    without = NEEDS_LINEAR_PROGRAMMING.get((K, n), value)
    assert float(converse(K, n)) == pytest.approx(without, abs=6e-5)
    if (K, n) in NEEDS_LINEAR_PROGRAMMING:
        assert float(converse(K, n, linear_programming=True)) == pytest.approx(
            value, abs=1e-4
        )


@pytest.mark.parametrize(
    ("K", "n", "value"),
    [
        (10**4, 32, 0.2829),
        (10**4, 64, 0.1536),
        (10**4, 128, 0.0827),
        (10**4, 256, 0.0500),
        (10**4, 512, 0.0238),
        (10**5, 32, 0.3762),
        (10**5, 64, 0.2123),
        (10**5, 128, 0.1262),
        (10**5, 256, 0.0659),
        (10**5, 512, 0.0416),
    ],
)
def test_many_points(K, n, value):
    assert float(levenshtein(K, n)) == pytest.approx(value, abs=6e-5)


@pytest.mark.parametrize(
    ("K", "n", "value"), [(10**4, 8, 0.8216), (10**4, 16, 0.5131), (10**5, 16, 0.6378)]
)
def test_many_points_by_linear_programming(K, n, value):
    assert float(linear_programming(K, n)) == pytest.approx(value, abs=3e-4)


def test_a_hundred_thousand_points_in_eight_dimensions():
    assert converse(10**5, 8).theorem == "coxeter_boroczky"
    assert float(converse(10**5, 8)) == pytest.approx(0.9065, abs=6e-5)
