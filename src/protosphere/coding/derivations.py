"""Derivations of binary linear codes: one line of text that says by which steps a code is built.

A step is the name of one of the public functions below, except `generator_matrix`, followed by its arguments of type
`str`. The codes that a step needs are taken from a stack, and the resulting code is put on the stack. Thus a step may
combine two codes: in 'orbits b 1, orbits d 1, join', the step `join` combines the codes of the two steps before it. The
numbers b and d are the polynomials x^3 + x + 1 and x^3 + x^2 + 1, and 1 is a column with a one in row 0.

The arguments `count`, `row` and `squarings` are decimal numbers. All other arguments are lists of hexadecimal numbers,
separated by dots. A polynomial is written as the number whose bit i is the coefficient of x^i.

For example, 'orbits 3.ae3 3, extend' gives the extended Golay code. The numbers 3 and ae3 are the polynomials x + 1 and
x^11 + x^9 + x^7 + x^6 + x^5 + x + 1. The last 3 is a column with ones in rows 0 and 1, whose orbit consists of 23
columns. The step `extend` appends a parity bit to each row.

A generator matrix is a 0/1 matrix whose rows generate a code: the codewords are the sums of rows modulo 2. Columns and
rows have indices from 0.

See MacWilliams & Sloane, chapter 1, section 9 (new codes from old), and chapter 18 (combining codes); Gulliver &
Bhargava (1991) for quasi-cyclic codes, and Braun, Kohnert & Wassermann (2005) for codes with prescribed automorphisms.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from protosphere.coding.linear import pack, row_reduce, unpack
from protosphere.coding.polynomials import degree, multiply, remainder
from protosphere.errors import InvalidArgumentError, brief

Bits = NDArray[np.uint8]
"""A generator matrix as a 0/1 matrix, with one bit per byte."""

MOST_COLUMNS, MOST_ROWS, MOST_TEXT = 512, 64, 4096
"""Largest length and dimension of the codes within a derivation, and largest number of characters of a derivation."""


def generator_matrix(derivation: str) -> Bits:
    """Return the generator matrix of the code that a derivation describes, as a 0/1 matrix with one bit per byte.

    Args:
        derivation: Steps, separated by a comma and a space, such as 'orbits 3.ae3 3, extend'. A step is the name of a
            function of this module, followed by the function's arguments of type `str`. This example makes the Golay
            code of length 23 by the function `orbits` with the arguments '3.ae3' and '3', and extends it by a parity
            bit.

    Raises:
        InvalidArgumentError: If a step is unknown or fails, if the steps do not end with a single code, or if the rows
            of the matrix are not independent.

    >>> from protosphere.coding.linear import smallest_weight
    >>> golay = generator_matrix("orbits 3.ae3 3, extend")
    >>> golay.shape, smallest_weight(pack(golay), 24)
    ((12, 24), 8)
    """
    if len(derivation) > MOST_TEXT:
        raise InvalidArgumentError(
            f"'derivation' must have at most {MOST_TEXT} characters, got {len(derivation)}"
        )
    stack: list[Bits] = []
    for step in derivation.split(", "):
        try:
            _apply_step(stack, *step.split(" "))
        except (KeyError, ValueError, IndexError, TypeError) as error:
            raise InvalidArgumentError(
                f"'derivation' must be of steps that we know, got {brief(step)}"
            ) from error
    if len(stack) != 1:
        raise InvalidArgumentError(
            f"'derivation' must end with one code, got {len(stack)}: {brief(derivation)}"
        )
    k, n = stack[0].shape
    if len(row_reduce(pack(stack[0]), range(n))[1]) < k:
        raise InvalidArgumentError(
            f"'derivation' must give independent rows, got {brief(derivation)}"
        )
    return stack[0]


def _apply_step(stack: list[Bits], name: str, *arguments: str) -> None:
    operands, function = STEPS[name]
    codes = [stack.pop() for _ in range(operands)]
    made = function(*reversed(codes), *arguments)
    if not (1 <= len(made) <= MOST_ROWS and 1 <= made.shape[1] <= MOST_COLUMNS):
        raise ValueError("no such size")
    stack.append(np.ascontiguousarray(made, dtype=np.uint8))


def _whole(text: str, most: int = MOST_COLUMNS) -> int:
    number = int(text)
    if not 0 <= number <= most:
        raise ValueError(f"{number} is out of range")
    return number


def _hexadecimal_numbers(text: str) -> list[int]:
    return [int(part, 16) for part in text.split(".")]


def _as_columns(columns: list[int], k: int) -> Bits:
    # bit i of each number is an entry of row i
    if min(columns) < 0 or max(columns) >> k or len(columns) > MOST_COLUMNS:
        raise ValueError("a number has more bits than there is room for")
    return np.array(
        [[column >> i & 1 for column in columns] for i in range(k)], dtype=np.uint8
    )


def orbits(polynomials: str, representatives: str, squarings: str = "0") -> Bits:
    """Return a generator matrix whose columns form orbits under one or two linear maps.

    A column encodes a list of polynomials over GF(2), one for each modulus. Its entries are the coefficients of the
    first polynomial, lowest power first, then those of the second polynomial, and so on. The first map multiplies each
    polynomial by x, modulo its modulus. The second map squares each polynomial `squarings` times, modulo its modulus.
    The orbit of a column consists of all columns that these maps reach from it.

    Without the second map, one orbit gives a cyclic code, and several orbits of the same length give a quasi-cyclic
    code.

    Args:
        polynomials: Moduli in hexadecimal, separated by dots.
        representatives: One column of each orbit as a number in hexadecimal, separated by dots. Bit i of each number is
            the entry of its column in row i.
        squarings: Number of squarings of the second map, as decimal text. If it is '0', there is no second map.
    """
    moduli = _hexadecimal_numbers(polynomials)
    if (
        min(moduli) < 3
        or not all(modulus & 1 for modulus in moduli)
        or sum(map(degree, moduli)) > MOST_ROWS
    ):
        raise ValueError("x is not invertible, or there are too many rows")
    turns = _whole(squarings, MOST_ROWS)
    columns = [
        column
        for first in _hexadecimal_numbers(representatives)
        for column in _orbit(first, moduli, turns)
    ]
    return _as_columns(columns, sum(map(degree, moduli)))


def _orbit(first: int, moduli: list[int], squarings: int) -> list[int]:
    # bit i of a column is its entry in row i
    found: dict[int, None] = {}
    while first not in found and len(found) <= MOST_COLUMNS:
        column = first
        while column not in found and len(found) <= MOST_COLUMNS:
            found[column] = None
            column = _each_polynomial(
                column, moduli, lambda part, modulus: remainder(part << 1, modulus)
            )
        for _ in range(squarings):
            first = _each_polynomial(
                first,
                moduli,
                lambda part, modulus: remainder(multiply(part, part), modulus),
            )
    return list(found)


def _each_polynomial(
    column: int, moduli: list[int], function: Callable[[int, int], int]
) -> int:
    # the column has the coefficients of one polynomial for each modulus, one polynomial after the other
    made = 0
    place = 0
    for modulus in moduli:
        m = degree(modulus)
        made |= function(column >> place & (1 << m) - 1, modulus) << place
        place += m
    return made


def extend(code: Bits) -> Bits:
    """Append a parity bit to each row of a generator matrix, so that the number of ones in the row becomes even.

    Args:
        code: Generator matrix.
    """
    return np.column_stack([code, code.sum(axis=1) % 2])


def puncture(code: Bits, count: str) -> Bits:
    """Remove the last `count` columns of a generator matrix.

    Args:
        code: Generator matrix.
        count: Number of columns to remove, as decimal text.
    """
    return code[:, : code.shape[1] - _whole(count)]


def puncture_at(code: Bits, places: str) -> Bits:
    """Remove the columns with the given indices from a generator matrix.

    Suppose that the columns are the positions of the ones of a codeword of odd weight s in the dual code. Then every
    codeword of the code has at most s - 1 ones in these columns, and the minimum distance decreases by at most s - 1.

    Args:
        code: Generator matrix.
        places: Indices of the columns in hexadecimal, separated by dots.
    """
    return np.delete(code, _hexadecimal_numbers(places), axis=1)


def first_rows(code: Bits, count: str) -> Bits:
    """Keep the first `count` rows of a generator matrix, which generate a subcode.

    Args:
        code: Generator matrix.
        count: Number of rows to keep, as decimal text.
    """
    return code[: _whole(count)]


def columns(code: Bits, numbers: str) -> Bits:
    """Append the given columns to a generator matrix.

    Args:
        code: Generator matrix.
        numbers: The columns as numbers in hexadecimal, separated by dots. Bit i of a number is the entry of the column
            in row i.
    """
    return np.hstack([code, _as_columns(_hexadecimal_numbers(numbers), len(code))])


def rows(code: Bits, numbers: str) -> Bits:
    """Append the given rows to a generator matrix.

    Args:
        code: Generator matrix.
        numbers: The rows as numbers in hexadecimal, separated by dots. Bit j of a number is the entry of the row in
            column j.
    """
    return np.vstack(
        [code, _as_columns(_hexadecimal_numbers(numbers), code.shape[1]).T]
    )


def repeat(code: Bits, count: str) -> Bits:
    """Append a copy of the first `count` columns to a generator matrix.

    The minimum distance of the new code is at least the minimum distance of `code`.

    Args:
        code: Generator matrix.
        count: Number of columns to copy, as decimal text.
    """
    return np.hstack([code, code[:, : _whole(count, code.shape[1])]])


def shorten(code: Bits, count: str) -> Bits:
    """Return a generator matrix of codewords that are zero in the last `count` columns, without these columns.

    The new matrix has `count` rows fewer than `code`. If the last `count` columns are linearly independent, it
    generates all codewords that are zero in these columns, otherwise only some of them.

    Args:
        code: Generator matrix.
        count: Number of columns to remove, as decimal text.
    """
    last = _whole(count)
    return shorten_at(
        code, ".".join(f"{code.shape[1] - 1 - i:x}" for i in range(last))
    )[: max(0, len(code) - last)]


def shorten_at(code: Bits, places: str) -> Bits:
    """Keep the codewords that are zero in the columns with the given indices, and remove these columns.

    If the columns are the positions of the ones of a codeword of the dual code, this step is called Construction Y1.

    Args:
        code: Generator matrix.
        places: Indices of the columns in hexadecimal, separated by dots.
    """
    vanishing = np.array(_hexadecimal_numbers(places))
    reduced, pivots = row_reduce(pack(code), vanishing)
    return np.delete(unpack(reduced[len(pivots) :], code.shape[1]), vanishing, axis=1)


def join(first: Bits, second: Bits) -> Bits:
    """Return the generator matrix whose row i is row i of `first` followed by row i of `second`.

    Args:
        first: Generator matrix of the first code.
        second: Generator matrix of the second code, with the same number of rows.
    """
    return np.hstack([first, second])


def tail(code: Bits, ending: Bits, row: str) -> Bits:
    """Apply Construction X: append the rows of a second generator matrix to consecutive rows of the first matrix.

    Row i of `ending` is appended to row r + i of `code`, where r is given by `row`. Zeros are appended to the other
    rows of `code`.

    Args:
        code: Generator matrix of the first code.
        ending: Generator matrix of the second code.
        row: Index r of the first row of `code` to which a row of `ending` is appended, as decimal text. Row 0 is the
            first row of `code`.
    """
    more = np.zeros((len(code), ending.shape[1]), dtype=np.uint8)
    begin = _whole(row)
    more[begin : begin + len(ending)] = ending
    return np.hstack([code, more])


def double(u: Bits, v: Bits) -> Bits:
    """Return the generator matrix of the code of all codewords (u | u + v): u, followed by the sum of u and v modulo 2.

    Here u is any codeword of one code, and v is any codeword of another code. If the two codes have different lengths,
    the shorter one of u and v is padded with zeros in the sum.

    Args:
        u: Generator matrix of the code of u.
        v: Generator matrix of the code of v.
    """
    n = max(u.shape[1], v.shape[1])
    longer = [np.pad(code, ((0, 0), (0, n - code.shape[1]))) for code in (u, v)]
    return np.vstack(
        [
            np.hstack([u, longer[0]]),
            np.hstack([np.zeros_like(v, shape=(len(v), u.shape[1])), longer[1]]),
        ]
    )


STEPS: dict[str, tuple[int, Callable[..., Bits]]] = {
    step.__name__: (operands, step)
    for operands, steps in (
        (0, (orbits,)),
        (
            1,
            (
                *(extend, puncture, puncture_at, first_rows),
                *(columns, rows, repeat, shorten, shorten_at),
            ),
        ),
        (2, (join, tail, double)),
    )
    for step in steps
}
"""For the name of each step, the number of codes that the step takes from the stack, and its function."""
