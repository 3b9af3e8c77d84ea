"""Singleton's upper bound on the minimum distance of a linear code over any field."""

from protosphere.errors import InfeasibleError, as_integer, brief


def singleton_distance(length: int, dimension: int) -> int:
    """Return Singleton's upper bound n - k + 1 on the minimum distance of a linear code.

    Here n is the length of the code and k is its dimension. The bound holds over every field, and Reed-Solomon codes
    attain it. The only binary codes that attain it are repetition codes, even-weight codes and the codes of all vectors
    (MacWilliams and Sloane, The Theory of Error-Correcting Codes, chapter 1, theorem 11).

    Args:
        length: Length n of the code, at least 1.
        dimension: Dimension k of the code, from 1 to n.

    Returns:
        The distance n - k + 1.

    Raises:
        InvalidArgumentError: If n or k is not an integer of at least 1.
        InfeasibleError: If k is larger than n.

    Example:
        >>> singleton_distance(15, 7)
        9
    """
    n, k = checked_code_size(length, dimension)
    return n - k + 1


def checked_code_size(length: int, dimension: int) -> tuple[int, int]:
    """Return the length n and the dimension k of a code after checking that they are integers with 1 <= k <= n.

    Args:
        length: Length n of the code.
        dimension: Dimension k of the code.

    Raises:
        InvalidArgumentError: If n or k is not an integer of at least 1.
        InfeasibleError: If k is larger than n.
    """
    n = as_integer("length", length, minimum=1)
    k = as_integer("dimension", dimension, minimum=1)
    if k > n:
        raise InfeasibleError(
            f"no code of length {brief(n)} has dimension {brief(k)}; smallest length: {brief(k)}"
        )
    return n, k
