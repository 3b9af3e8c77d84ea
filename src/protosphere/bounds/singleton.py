"""Singleton's bound on the distance of a linear code, over any field."""

from protosphere.errors import InfeasibleError, as_integer, brief


def singleton_distance(length: int, dimension: int) -> int:
    """Return the largest distance that a linear [n, k] code can have over any field: n - k + 1.

    Reed-Solomon codes attain this bound. Of the binary codes only repetition codes, even-weight codes and the codes of
    all vectors do (MacWilliams and Sloane, The Theory of Error-Correcting Codes, chapter 1, theorem 11).

    Args:
        length: Length n of the code.
        dimension: Dimension k of the code.

    Returns:
        The distance n - k + 1.

    Raises:
        InvalidArgumentError: If n or k is not an integer in its range.
        InfeasibleError: If there is no [n, k] code.

    Example:
        >>> singleton_distance(15, 7)
        9
    """
    n, k = code_size(length, dimension)
    return n - k + 1


def code_size(length: int, dimension: int) -> tuple[int, int]:
    """Return n and k after checking that they are integers with 1 <= k <= n.

    Args:
        length: Length n of the code.
        dimension: Dimension k of the code.
    """
    n = as_integer("length", length, minimum=1)
    k = as_integer("dimension", dimension, minimum=1)
    if k > n:
        raise InfeasibleError(
            f"no code of length {brief(n)} has dimension {brief(k)}; smallest length: {brief(k)}"
        )
    return n, k
