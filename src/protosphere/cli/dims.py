"""Parse the value of the option --dims, such as `4:256`, `10:100:5` or `16,32,64`."""

from protosphere.constructions.comparison import characteristic_dims
from protosphere.errors import InvalidArgumentError, brief

MOST_DIMS = 1000
"""Largest number of dimensions in a range of --dims, such as 10:100:5; more are treated as a typing error."""

LARGEST_PARSED_DIM = 100_000
"""Largest dimension that is accepted; in more dimensions, schemes that optimize by descent would take days."""


def parsed_dims(text: str, num_classes: int) -> tuple[int, ...]:
    """Return the dimensions that the value of --dims describes.

    - The text `a:b` stands for all numbers from a to b that are 2**m or 2**m - 1 for some m, K/2 rounded up, K - 1 or
      K. Schemes exist, or bounds change, at these dimensions.
    - The text `a:b:step` stands for a, a + step, a + 2 step and so on up to b.
    - A text with commas is a list of dimensions.

    Args:
        text: Value of the option --dims.
        num_classes: Number of classes K.

    Returns:
        The dimensions in ascending order.

    Raises:
        InvalidArgumentError: If `text` has another form, if a range with colons describes no dimension or more than
            1,000 dimensions, or if a dimension is above 100,000.

    >>> parsed_dims("10:20:5", 100), parsed_dims("64,16", 100)
    ((10, 15, 20), (16, 64))
    """
    refused = InvalidArgumentError(
        f"--dims must be like 4:256, 10:100:5 or 16,32,64, got {brief(text)}"
    )
    if ":" not in text:
        listed = {whole(part, refused) for part in text.split(",")}
        _check_largest(max(listed), text)
        return tuple(sorted(listed))
    match [whole(part, refused) for part in text.split(":")]:
        case [low, high]:
            _check_largest(high, text)
            return _characteristic_range(low, high, num_classes, text)
        case [low, high, step]:
            _check_largest(high, text)
            return _arithmetic_range(low, high, step, text)
        case _:
            raise refused


def _characteristic_range(
    low: int, high: int, num_classes: int, text: str
) -> tuple[int, ...]:
    if low > high:
        raise InvalidArgumentError(
            f"--dims {text} ends before it begins; try {high}:{low}"
        )
    dims = characteristic_dims(num_classes, low, high)
    if not 1 <= len(dims) <= MOST_DIMS:
        raise InvalidArgumentError(
            f"--dims {text} has no dimension of interest; try a wider range or {low}:{high}:1"
        )
    return dims


def _arithmetic_range(low: int, high: int, step: int, text: str) -> tuple[int, ...]:
    dims = tuple(range(low, high + 1, step))
    if not 1 <= len(dims) <= MOST_DIMS:
        raise InvalidArgumentError(
            f"--dims {text} is {len(dims)} dimensions; 1 to {MOST_DIMS} can be compared at once"
        )
    return dims


def _check_largest(dim: int, text: str) -> None:
    if dim > LARGEST_PARSED_DIM:
        raise InvalidArgumentError(
            f"--dims {text} has {dim:,} dimensions; up to {LARGEST_PARSED_DIM:,} can be compared"
        )


def whole(part: str, refused: InvalidArgumentError) -> int:
    """Return a text of digits as a positive integer.

    Args:
        part: The text; blanks around the digits are ignored.
        refused: Error that is raised if the text is not an integer of at least 1.
    """
    if part.strip().isdecimal() and len(part) < 100 and int(part) >= 1:
        return int(part)
    raise refused
