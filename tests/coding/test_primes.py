"""Primes against the definition."""

from protosphere.coding.primes import is_prime, prime_factors, prime_power, prime_powers


def test_primes_have_two_divisors() -> None:
    for number in range(-2, 400):
        assert is_prime(number) == (
            sum(number % d == 0 for d in range(1, number + 1)) == 2
        )


def test_prime_factors_are_the_prime_divisors() -> None:
    for number in range(1, 400):
        assert prime_factors(number) == tuple(
            p for p in range(2, number + 1) if is_prime(p) and number % p == 0
        )


def test_prime_powers() -> None:
    assert prime_powers(32) == (
        2,
        3,
        4,
        5,
        7,
        8,
        9,
        11,
        13,
        16,
        17,
        19,
        23,
        25,
        27,
        29,
        31,
        32,
    )
    for q in prime_powers(300):
        p, e = prime_power(q) or (0, 0)
        assert is_prime(p)
        assert p**e == q
    assert prime_power(1) is None
    assert prime_power(6) is None
    assert prime_power(0) is None
