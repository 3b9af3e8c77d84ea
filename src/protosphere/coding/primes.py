"""Primes and prime powers by trial division, for small integers such as the orders of finite fields."""

from itertools import count


def prime_factors(number: int) -> tuple[int, ...]:
    """Return the distinct primes that divide a number, in ascending order.

    Numbers below 2 have none.

    >>> prime_factors(60)
    (2, 3, 5)
    """
    factors: list[int] = []
    p = 2
    while p * p <= number:
        if number % p == 0:
            factors.append(p)
            while number % p == 0:
                number //= p
        p += 1
    return (*factors, number) if number > 1 else tuple(factors)


def is_prime(number: int) -> bool:
    """Return whether a number is a prime."""
    return number > 1 and prime_factors(number) == (number,)


def prime_power(q: int) -> tuple[int, int] | None:
    """Return the prime p and the exponent e >= 1 with q = p^e; None if q is not a prime power.

    >>> prime_power(81), prime_power(12)
    ((3, 4), None)
    """
    factors = prime_factors(q)
    if len(factors) != 1:
        return None
    return factors[0], next(e for e in count(1) if factors[0] ** e == q)


def prime_powers(limit: int) -> tuple[int, ...]:
    """Return every prime power from 2 to `limit`, in ascending order."""
    return tuple(q for q in range(2, limit + 1) if prime_power(q) is not None)
