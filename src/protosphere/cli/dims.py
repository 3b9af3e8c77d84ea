"""Which dimensions: `4:256`, `10:100:5` or `16,32,64`."""

from protosphere.constructions.comparison import characteristic_dims
from protosphere.errors import InvalidArgumentError, brief

MOST_DIMS = 1000
"""More rows than this are a mistake in typing."""

LARGEST_COMPARED_DIM = 100_000
"""So is a higher dimension: descents there would take days."""


def parsed_dims(text: str, num_classes: int) -> tuple[int, ...]:
    """The dimensions that `text` asks for, ascending.

    `a:b` are those from a to b at which schemes exist or bounds bend (2**m, 2**m - 1, K/2, K-1, K), `a:b:step` an
    arithmetic progression, and anything with commas a list.

    >>> parsed_dims("10:20:5", 100), parsed_dims("64,16", 100)
    ((10, 15, 20), (16, 64))
    """
    refused = InvalidArgumentError(
        f"--dims must be like 4:256, 10:100:5 or 16,32,64, got {brief(text)}"
    )
    match [whole(part, refused) for part in text.split(":")] if ":" in text else []:
        case []:
            return tuple(
                sorted(
                    {checked(whole(part, refused), text) for part in text.split(",")}
                )
            )
        case [low, high] if low > checked(high, text):
            raise InvalidArgumentError(
                f"--dims {text} ends before it begins; try {high}:{low}"
            )
        case [low, high]:
            dims = characteristic_dims(num_classes, low, high)
            wrong = f"has no dimension of interest; try a wider range or {low}:{high}:1"
        case [low, high, step]:
            dims = tuple(range(low, checked(high, text) + 1, step))
            wrong = (
                f"is {len(dims)} dimensions; 1 to {MOST_DIMS} can be compared at once"
            )
        case _:
            raise refused
    if not 1 <= len(dims) <= MOST_DIMS:
        raise InvalidArgumentError(f"--dims {text} {wrong}")
    return dims


def checked(dim: int, text: str) -> int:
    """`dim`, unless nobody can mean it."""
    if dim > LARGEST_COMPARED_DIM:
        raise InvalidArgumentError(
            f"--dims {text} has {dim:,} dimensions; up to {LARGEST_COMPARED_DIM:,} can be compared"
        )
    return dim


def whole(part: str, refused: InvalidArgumentError) -> int:
    """A dimension, a step or a number of classes: an integer of at least 1, or else `refused`."""
    if part.strip().isdecimal() and len(part) < 100 and int(part) >= 1:
        return int(part)
    raise refused
