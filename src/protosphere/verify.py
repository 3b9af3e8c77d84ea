"""Check a code file of protosphere with the standard library of Python alone.

    python -I verify.py FILE [--proof PROOF.json] [--json]

A code file contains K unit vectors of R^n (points) and states two numbers: the maximum cosine of the points, and a
converse, which is a lower bound on the maximum cosine of any K points of R^n. This program trusts neither number. It
has four parts:

1. Reading: the program reads the bytes of the file, and checks their digest and the sizes that they state.
2. Points: it computes the maximum cosine with integers, either exactly or as an interval between two fractions. Signs
   are the bits of an integer. Coordinates in float64 are multiplied by 2^52 and rounded. The interval contains the
   maximum cosine in spite of these rounding errors.
3. Converse: it proves Rankin's bound by its formula, and the bounds of Levenshtein and of linear programming by a
   polynomial with rational coefficients. Other theorems are only cited, and the answer says so.
4. Answer: the file is accepted (exit code 0), rejected (exit code 1) or not checked (exit code 2). The answer also says
   what was proved and what was assumed, or why the file is not accepted.

A file is accepted only if all checks have passed. A file is not checked if the work is above the limit, if the file or
the proof cannot be read or has another format, or if the proof is for another K or n. Any other error is a rejection.

In this module, these words are used:

- The arguments `count` and `dim` are K and n.
- A scaled row is a point with its coordinates multiplied by ONE = 2^52 and rounded to integers.
- A codeword is a sequence of bits. It is stored as an integer, whose highest bit is the first bit of the codeword. As a
  point, a codeword of n bits has entries +1/sqrt(n) (for bit 1) and -1/sqrt(n). Sums of codewords are modulo 2 (XOR). A
  code is a set of codewords. A linear code contains all sums of its codewords. A coset of a linear code consists of the
  sums of one fixed codeword and every codeword of the linear code.
- A glue vector has extra coordinates that follow a codeword. The label of a codeword is the index of its glue vector,
  or 0 if there are no glue vectors.
- A class may be described by parts, such as a color and a shape. It has one value of each part. Each value is
  represented by a point, and the share of a part is its weight in the cosine of two classes.
- A quantized point is made of values of parts, which are vectors, and of codewords of codebooks, which are vectors,
  too.
- The converse is a lower bound on the maximum cosine of any K points of R^n. The guarantee is an upper bound on the
  maximum cosine of the points of the file, which the file may state.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import re
import struct
import sys
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import (
    accumulate,
    combinations_with_replacement,
    islice,
    pairwise,
    zip_longest,
)
from operator import mul
from pathlib import Path
from typing import Any

ZERO = Fraction(0)
FORMAT = "protosphere-code-1"
PROOF_FORMAT = "protosphere-dual-1"
MOST_PRODUCTS = 2e10
"""Largest number of products of coordinates, or comparisons of codewords, without --no-limit: some minutes."""
MOST_BYTES = 1 << 30
"""Largest number of bytes of a table, or of all codewords, without --no-limit: a small file may give many codewords."""
BYTES_OF_AN_INTEGER = 48
"""Memory of an integer of up to 120 bits in a list of Python."""


class VerificationError(Exception):
    """Error for a code file that states something false, or something that this program cannot prove."""


class NotCheckedError(Exception):
    """Error for a check that could not be made. The code file may still be right."""


def ensure(condition: bool, otherwise: str) -> None:
    """Raise VerificationError with the message `otherwise` unless `condition` is True."""
    if not condition:
        raise VerificationError(otherwise)


def not_checked_unless(condition: bool, otherwise: str) -> None:
    """Raise NotCheckedError with the message `otherwise` unless `condition` is True."""
    if not condition:
        raise NotCheckedError(otherwise)


# ----------------------------------------------------------------------------------------------------------------------
# 1. Reading

LETTERS = {"U8": "B", "U16": "H", "U32": "I", "I64": "q", "F64": "d"}
"""Number types of safetensors, and their format characters in `struct`."""

DIGEST_NAMES = {"U8": "|u1", "U16": "<u2", "U32": "<u4", "I64": "<i8", "F64": "<f8"}


@dataclass(frozen=True)
class StoredArray:
    """An array of a code file.

    Attributes:
        kind: Number type of the entries in safetensors, such as "F64" for float64.
        shape: Length of each axis of the array.
        data: The entries as bytes, row by row.
    """

    kind: str
    shape: tuple[int, ...]
    data: bytes

    def numbers(self) -> tuple[Any, ...]:
        """Return all entries of the array as one sequence, row by row."""
        return struct.unpack(f"<{math.prod(self.shape)}{LETTERS[self.kind]}", self.data)

    def rows(self) -> list[tuple[Any, ...]]:
        """Return the rows of the array, which must have two axes."""
        entries = self.numbers()
        width = self.shape[1]
        return [entries[i : i + width] for i in range(0, len(entries), width)]


@dataclass(frozen=True)
class CodeFile:
    """Content of a code file, and the limit on the work to verify it.

    Attributes:
        arrays: Arrays of the file by name.
        description: Header of the file, which describes the points.
        certificate: Part of the header with the stated maximum cosine and converse.
        count: Number K of points.
        dim: Dimension n.
        limit: How many products of two numbers one step of the check may compute at most. Infinity means that work and
            memory are not limited.
    """

    arrays: dict[str, StoredArray]
    description: dict[str, Any]
    certificate: dict[str, Any]
    count: int
    dim: int
    limit: float

    def array(self, name: str, kind: str, *shape: int | None) -> StoredArray:
        """Return the array with this name after checking its number type and its shape.

        Args:
            name: Name of the array in the file.
            kind: Required number type, such as "F64" for float64.
            shape: Required length of each axis. None stands for any length.

        Raises:
            VerificationError: If the array is missing, or if its type or a length differs.
        """
        found = self.arrays[name]
        lengths = [b if a is None else a for a, b in zip(shape, found.shape, strict=True)]  # fmt: skip
        fits = found.kind == kind and list(found.shape) == lengths
        ensure(fits, f"'{name}' has shape {found.shape}, expected {shape} of {kind}")
        return found

    def spend(self, products: int) -> None:
        """Raise NotCheckedError if the given number of products is above the attribute `limit`.

        Args:
            products: How many products of two numbers a step of the check computes.
        """
        enough = products <= self.limit
        not_checked_unless(
            enough, f"{products:.0e} products are above the limit; see --no-limit"
        )

    def hold(self, size_bytes: int) -> None:
        """Raise NotCheckedError if a step of the check needs more than 2^30 bytes of memory.

        If the attribute `limit` is infinite, as with the option --no-limit, no error is raised.

        Args:
            size_bytes: How many bytes the step needs.
        """
        enough = size_bytes <= MOST_BYTES or self.limit == math.inf
        not_checked_unless(
            enough, f"{size_bytes:.0e} bytes are above the limit; see --no-limit"
        )


def strict_json(text: str | bytes) -> dict[str, Any]:
    """Parse a JSON object, and raise VerificationError if a key occurs twice in an object.

    Programs may interpret an object with duplicate keys differently.
    """

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        ensure(len(dict(pairs)) == len(pairs), "a JSON object has a key twice")
        return dict(pairs)

    return json.loads(text, object_pairs_hook=unique)


def size_in(value: Any) -> int:
    """Return a count or a size from a header after checking that it is an integer from 0 to 2^40."""
    ensure(type(value) is int and 0 <= value <= 1 << 40, "a size is out of range")
    return value


def fraction_in(value: Any) -> Fraction:
    """Return a number from a header as a Fraction.

    In the header, the number must be a text such as "1/3", or an int or float with an absolute value of at most 2. If
    it is anything else, VerificationError is raised.
    """
    if isinstance(value, str):
        plain = re.fullmatch(r"-?\d{1,300}(/[1-9]\d{0,299})?", value, re.ASCII)
        ensure(plain is not None, "a number is not a fraction")
        return Fraction(value)
    ensure(type(value) in (int, float) and abs(value) <= 2, "a number is no cosine")
    return Fraction(value)


def read_code(path: Path, limit: float) -> CodeFile:
    """Read a code file, and check its digest and the sizes that it states.

    A file consists of 8 bytes with the length of the header, the header, and the bytes of the arrays.

    Args:
        path: The file.
        limit: How many products of two numbers a later step may compute at most. Infinity means that work and memory
            are not limited.

    Raises:
        VerificationError: If the content does not match its digest, or a size is wrong.
        NotCheckedError: If protosphere has not written the file, or has written it in another format.
    """
    content = path.read_bytes()
    start = 8 + int.from_bytes(content[:8], "little")
    ensure(start <= len(content), "the file is truncated or not safetensors")
    header = strict_json(content[8:start])
    metadata: dict[str, Any] = header.pop("__metadata__", {})
    not_checked_unless("format" in metadata, "not a file that protosphere wrote")
    known = metadata["format"] == FORMAT
    not_checked_unless(known, f"not a file that this protosphere wrote: the format is not '{FORMAT}'")  # fmt: skip
    arrays = stored_arrays(header, content[start:])
    found = content_digest(arrays, metadata["description"])
    ensure(found == metadata["digest"], "the content does not match its digest")
    description = strict_json(metadata["description"])
    certificate = description["certificate"]
    count = size_in(certificate["num_classes"])
    dim = size_in(certificate["dim"])
    ensure(count >= 2 and dim >= 1, "a code has at least 2 points and 1 dimension")
    return CodeFile(arrays, description, certificate, count, dim, limit)


def stored_arrays(header: dict[str, Any], body: bytes) -> dict[str, StoredArray]:
    """Return the arrays of a file by name.

    The arrays must fill the file without gaps, and the number of bytes of each array must agree with its type and
    shape. Otherwise VerificationError is raised.

    Args:
        header: Mapping from the name of each array to its type, its shape and its position in the body.
        body: Bytes of the file after the header.
    """
    arrays: dict[str, StoredArray] = {}
    end = 0
    for name in sorted(header, key=lambda name: header[name]["data_offsets"]):
        kind = header[name]["dtype"]
        known = kind in DIGEST_NAMES
        ensure(known, "an array has a number type that the format does not have")
        shape = tuple(map(size_in, header[name]["shape"]))
        ensure(len(shape) <= 2, f"'{name}' is neither a list nor a matrix")
        first, last = map(size_in, header[name]["data_offsets"])
        size = math.prod(shape) * struct.calcsize(f"<{LETTERS[kind]}")
        ensure(first == end and last == first + size, f"'{name}' has other bytes than its shape states")  # fmt: skip
        arrays[name] = StoredArray(kind, shape, body[first:last])
        end = last
    ensure(end == len(body), "the file is truncated, or has bytes of no array")
    return arrays


def content_digest(arrays: dict[str, StoredArray], description: str) -> str:
    """Return the SHA-256 digest of `description` and of the name, type, shape and bytes of every array.

    Args:
        arrays: Arrays by name.
        description: Header of the code file as JSON text.
    """
    sha = hashlib.sha256(description.encode())
    for name, array in sorted(arrays.items()):
        kind = DIGEST_NAMES[array.kind]
        sha.update(f"\0{name}\0{kind}\0{array.shape}\0".encode())
        sha.update(array.data)
    return sha.hexdigest()


# ----------------------------------------------------------------------------------------------------------------------
# 2. Points


@dataclass(frozen=True)
class MaxCosine:
    """Interval that contains the maximum cosine of the points.

    Attributes:
        low: Lower end of the interval.
        high: Upper end of the interval; equal to `low` if the maximum cosine is known exactly.
        points: Text that says in which form the points are stored.
        unit: Upper bound on how far the squared norms of the points differ from 1.
    """

    low: Fraction
    high: Fraction
    points: str
    unit: Fraction = ZERO

    @property
    def exact(self) -> bool:
        """Whether `low` and `high` are equal, so that the maximum cosine is known exactly."""
        return self.low == self.high


# Coordinates in float64

ONE = 1 << 52
COARSE = 1 << 32
"""Divisor of the scaled coordinates for a first comparison of all pairs."""
CLOSEST_PAIRS = 100
"""Number of pairs per point that may be compared exactly after the first comparison of all pairs."""
BLOCK = 256
LARGEST_UNIT_ERROR = Fraction(1, 1 << 43)
"""Twice the largest error of a squared norm that is known: 5.3e-14, for sums of basis vectors of a lattice in R^24."""
LARGEST_INTEGER_NORM = 1024


def scaled(array: StoredArray) -> list[list[int]]:
    """Return the rows of a float64 matrix, with every entry multiplied by ONE = 2^52 and rounded to an integer."""
    return [[round(x * ONE) for x in row] for row in array.rows()]


def rounding(dim: int) -> Fraction:
    """Return an upper bound on the error of an inner product that is computed from scaled rows.

    Let x and y be unit vectors of R^n, n < 2^29, and let X and Y be their scaled rows: their coordinates multiplied by
    ONE = 2^52 and rounded to integers. The inner product of x and y is computed as <X, Y> / ONE^2. The bound on the
    error is (r + 1) / ONE, where r is sqrt(n), rounded down.

    The bound is proved as follows. A coordinate of X / ONE differs from that of x by at most 1 / (2 ONE), so x - X /
    ONE has a norm of at most sqrt(n) / (2 ONE). The same is true of y and Y. The bound then follows by the
    Cauchy-Schwarz inequality.
    """
    return Fraction(math.isqrt(dim) + 1, ONE)


def unit_error(rows: list[list[int]], dim: int) -> Fraction:
    """Return an upper bound on how far the squared norms of the points differ from 1.

    If this bound is larger than rounding errors can explain, VerificationError is raised.

    Args:
        rows: The scaled rows of the points, that is, their coordinates multiplied by ONE = 2^52 and rounded to
            integers.
        dim: Dimension n.
    """
    farthest = max(abs(sum(map(mul, row, row)) - ONE * ONE) for row in rows)
    error = Fraction(farthest, ONE * ONE) + rounding(dim)
    is_unit = error <= 4 * rounding(dim) + LARGEST_UNIT_ERROR
    ensure(is_unit, f"a squared norm is not 1 but off by {float(error):.1e}")
    return error


def leading_pairs(rows: list[list[int]], margin: int) -> Iterator[tuple[int, int]]:
    """Yield pairs (i, j), i < j, of indices of rows: those with the largest inner products, and perhaps others.

    Let p be the largest inner product of two rows with different indices. All pairs with an inner product above p -
    `margin` are yielded, and at least one pair with the inner product p.

    Args:
        rows: Vectors with integer entries, all of the same length.
        margin: Integer that is at least 0.
    """
    # A row is multiplied with all later rows at once: column j of the later rows is packed into one long integer, in
    # which every row has a fixed range of bits (a lane). The sum over j of row[j] times column j then has one inner
    # product in each lane.
    columns = [column for column in zip(*rows, strict=True) if any(column)]
    rows = [list(row) for row in zip(*columns, strict=True)]
    longest = max(sum(map(mul, row, row)) for row in rows)  # no product is above it
    width = (2 * longest + margin).bit_length() // 8 + 1
    zero = 1 << (8 * width - 1)
    packed = [
        b"".join((x + zero).to_bytes(width, "big") for x in column)
        for column in columns
    ]
    best = -longest - 1
    for start in range(0, len(rows) - 1, BLOCK):
        size = width * (len(rows) - start)
        ones = int.from_bytes((1).to_bytes(width, "big") * (size // width), "big")
        lanes = [int.from_bytes(data[-size:], "big") - zero * ones for data in packed]
        for i, row in enumerate(rows[start : start + BLOCK]):
            # a lane of the total has its highest bit set if its product is above the best minus the margin
            shift = zero - 1 - best + margin
            total = sum(map(mul, row, lanes)) + shift * ones
            if total & zero * (ones >> 8 * width * (i + 1)):
                products = total.to_bytes(size, "big")
                later = range(width * (i + 1), size, width)
                high = [j for j in later if products[j] > 127]
                largest = max(products[j : j + width] for j in high)
                best = max(best, int.from_bytes(largest, "big") - shift)
                yield from ((start + i, start + j // width) for j in high)


def largest_product(rows: list[list[int]]) -> int:
    """Return the largest inner product of two rows of integers with different indices."""
    pairs = leading_pairs(rows, 0)
    return max(sum(map(mul, rows[i], rows[j])) for i, j in pairs)


def largest_long_product(rows: list[list[int]], dim: int) -> int:
    """Return the largest inner product of two scaled rows with different indices. Entries have up to 53 bits.

    A scaled row is a point with its coordinates multiplied by ONE = 2^52 and rounded to integers. Products of short
    integers are faster. Therefore all pairs are first compared by short rows: the scaled rows divided by COARSE = 2^32
    and rounded down. Only the pairs of points whose short rows have nearly the largest inner product are then compared
    exactly. If there are more than 100 such pairs per point, all pairs are compared exactly.

    The rounding changes an inner product of two divided rows by at most r (4 ONE / COARSE + r), where r is an integer
    above sqrt(n). The reason is that a divided row has a norm of at most 2 ONE / COARSE, and that the rounding changes
    it by a vector of norm at most r.
    """
    short = [[x // COARSE for x in row] for row in rows]
    root = math.isqrt(dim) + 1
    error = root * (4 * (ONE // COARSE) + root)
    pairs = leading_pairs(short, 2 * error + 1)
    few = list(islice(pairs, len(rows) * CLOSEST_PAIRS))
    if next(pairs, None) is not None:  # so many pairs are nearly the closest
        return largest_product(rows)
    return max(sum(map(mul, rows[i], rows[j])) for i, j in few)


def integer_rows(rows: list[list[int]]) -> tuple[list[list[int]], int] | None:
    """Return integer vectors v and a number N such that each point is its vector v divided by sqrt(N), up to rounding.

    There is one vector for each point. All of them have the squared norm N, which is at most 1024. If the points do not
    have this form, the result is None.

    Args:
        rows: The scaled rows of the points: their coordinates multiplied by ONE = 2^52 and rounded to integers.
    """
    for norm in range(1, LARGEST_INTEGER_NORM + 1):
        root = math.sqrt(norm) / ONE
        if is_rounded([round(x * root) for x in rows[0]], norm, rows[0]):
            vectors = [[round(x * root) for x in row] for row in rows]
            if all(is_rounded(vectors[i], norm, row) for i, row in enumerate(rows)):
                return vectors, norm
    return None


def is_rounded(vector: list[int], norm: int, row: list[int]) -> bool:
    """Return whether a point is v / sqrt(N) up to rounding, where v is an integer vector of squared norm N.

    Args:
        vector: The vector v. If its squared norm is not N, the result is False.
        norm: The number N.
        row: The scaled row of the point: its coordinates multiplied by ONE = 2^52 and rounded to integers. They may
            differ by at most 4 from ONE v / sqrt(N).
    """
    exact = {a: math.isqrt(a * a * ONE * ONE // norm) for a in map(abs, vector)}
    near = all(
        abs(x - (exact[a] if a >= 0 else -exact[-a])) <= 4
        for a, x in zip(vector, row, strict=True)
    )
    return near and sum(map(mul, vector, vector)) == norm


def dense_cosine(code: CodeFile) -> MaxCosine:
    """Return the maximum cosine of points that are stored as float64 coordinates, by comparing all pairs."""
    code.spend(code.count**2 * code.dim // 2)
    rows = scaled(code.array("points", "F64", code.count, code.dim))
    unit = unit_error(rows, code.dim)
    integers = integer_rows(rows)
    if integers is not None:
        vectors, norm = integers
        cosine = Fraction(largest_product(vectors), norm)
        points = f"integer vectors divided by sqrt({norm}) and rounded to float64"
        return MaxCosine(cosine, cosine, points, unit)
    cosine = Fraction(largest_long_product(rows, code.dim), ONE * ONE)
    error = rounding(code.dim) + 2 * unit
    return MaxCosine(cosine - error, cosine + error, "float64 coordinates", unit)


# Signs: a codeword of n bits is a point of +-1/sqrt(n); codewords that differ in d bits have the cosine 1 - 2 d / n

FEW_WORDS = 2000
LARGEST_SPAN_BITS = 20


@dataclass(frozen=True)
class Codewords:
    """The codewords of the points of a file, stored as integers.

    They are taken from a code, which may have more codewords than the file.

    Attributes:
        length: Number of bits of a codeword.
        words: The codewords, in the order of the points.
        numbers: For each codeword, its index in this code, from 0.
        rows: Codewords whose sums form a linear code. The code from which the codewords are taken is a union of cosets
            of this linear code. If no such linear code is known, the list is empty.
    """

    length: int
    words: list[int]
    numbers: Sequence[int]
    rows: list[int]


def packed_words(code: CodeFile, name: str, count: int | None, n: int) -> list[int]:
    """Return the codewords of an array of packed bits, as integers of n bits whose highest bit is the first bit.

    Args:
        code: The code file.
        name: Name of the array, which has one row for each codeword, with eight bits in a byte.
        count: Required number of rows. None stands for any number.
        n: Number of bits of a codeword. Unused bits at the end of a row must be 0.
    """
    width = (n + 7) // 8
    data = code.array(name, "U8", count, width).data
    words = [int.from_bytes(data[i : i + width]) for i in range(0, len(data), width)]
    spare = 8 * width - n
    ensure(not any(word % (1 << spare) for word in words), f"'{name}' has spare bits")
    return [word >> spare for word in words]


def number_array(code: CodeFile, name: str, limit: int) -> tuple[int, ...]:
    """Return the K integers of an array, one for each point, after checking that they are from 0 to `limit` - 1.

    Args:
        code: The code file.
        name: Name of the array.
        limit: One more than the largest allowed integer.
    """
    numbers = code.array(name, "I64", code.count).numbers()
    ensure(0 <= min(numbers) <= max(numbers) < limit, f"'{name}' is out of range")
    return numbers


def all_sums(rows: Sequence[int]) -> list[int]:
    """Return all 2^k sums modulo 2 (XOR) of k given codewords.

    Entry j of the result is the sum of those codewords rows[i] for which bit i of j is 1, where bit 0 is the lowest
    bit.
    """
    sums = [0]
    for row in rows:
        sums += [word ^ row for word in sums]
    return sums


def sums_of(rows: list[int], numbers: Iterable[int]) -> list[int]:
    """Return one codeword for each integer in `numbers`.

    The codeword is the sum modulo 2 (XOR) of those codewords rows[i] for which bit i of the integer is 1, where bit 0
    is the lowest bit.
    """
    tables = [all_sums(rows[i : i + 8]) for i in range(0, len(rows), 8)]
    words: list[int] = []
    for number in numbers:
        word = 0
        for j, table in enumerate(tables):
            word ^= table[number >> 8 * j & 255]
        words.append(word)
    return words


def affine_functions(m: int, points: Sequence[int]) -> list[int]:
    """Return m + 1 codewords, one for each of the functions 1, x_0, ..., x_(m-1).

    A codeword lists the values of its function at the given points. The value of x_i at a point is bit i of the point.

    Args:
        m: Number of bits of each integer in `points`.
        points: Integers of m bits. The first bit of a codeword is the value at the first of them.
    """
    functions = ["1" * len(points)]
    for i in range(m):
        functions.append("".join(str(point >> i & 1) for point in points))
    return [int(bits, 2) for bits in functions]


def read_codewords(code: CodeFile, structure: str, n: int) -> Codewords:
    """Return the codewords of n bits that the file stores, in the order of the points.

    If the file stores both the codewords and the arrays from which they are computed, the two must agree.

    Args:
        code: The code file.
        structure: Name of the form in which the codewords are stored. For "signs" and "shortened", the codewords
            themselves are stored. For "linear", each codeword is a sum of rows of a stored generator matrix. For
            "cosets", each is the sum of a stored codeword and the values of an affine function, that is, a sum of some
            of the functions of `affine_functions`.
        n: Number of bits of a codeword.
    """
    if structure == "signs":
        words = packed_words(code, "signs", code.count, n)
        return Codewords(n, words, range(code.count), [])
    if structure == "shortened":
        words = packed_words(code, "signs", code.count, n)
        numbers = number_array(code, "numbers", 1 << 62)
        return Codewords(n, words, numbers, shortened_rows(code, n))
    if structure == "linear":
        rows = packed_words(code, "generator", None, n)
        numbers = number_array(code, "messages", 1 << len(rows))
        code.hold(len(numbers) * n // 8)
        words = sums_of(rows, numbers)
    else:
        ensure(structure == "cosets", f"the structure '{structure}' is unknown")
        firsts = packed_words(code, "representatives", None, n)
        numbers = number_array(code, "numbers", 2 * n * len(firsts))
        m = n.bit_length() - 1
        ensure(n == 1 << m, "the length of the cosets is not a power of two")
        code.hold(len(numbers) * n // 8)
        rows = affine_functions(m, range(n))
        words = sums_of(rows, (number % (2 * n) for number in numbers))
        words = [
            word ^ firsts[number // (2 * n)]
            for word, number in zip(words, numbers, strict=True)
        ]
    if "signs" in code.arrays:
        stored = packed_words(code, "signs", code.count, n)
        ensure(words == stored, "the codewords do not match their indices")
    return Codewords(n, words, numbers, rows)


def shortened_rows(code: CodeFile, n: int) -> list[int]:
    """Return codewords of n bits whose sums form a linear code, of which a shortened code is a union of cosets.

    Before shortening, codewords have one bit for each of the positions 0, 1, ..., 2^m - 1. Shortening has removed the
    first j positions of the list 0, 1, 2, 4, 8, ... The header of the file states m and j. The linear code belongs to
    the affine functions that are zero at the removed positions. Its codewords list the values of such a function at the
    first n positions that are left.
    """
    m = size_in(code.description["shortened"]["m"])
    shortened = size_in(code.description["shortened"]["shortened"])
    ensure(m <= 16 and shortened <= m + 1, "'shortened' is out of range")
    zeros = [0, *(1 << i for i in range(m))][:shortened]
    kept = [point for point in range(1 << m) if point not in zeros][:n]
    ensure(len(kept) == n, "'shortened' leaves codewords of another length")
    return affine_functions(m, kept)[shortened:]


def reduced(word: int, rows: list[int]) -> int:
    """Return the codeword of a coset of a linear code that is smallest as an integer.

    Args:
        word: Any codeword of the coset.
        rows: A basis of the linear code, in descending order as integers. No two codewords of the basis may have the
            same highest one.
    """
    for row in rows:
        word = min(word, word ^ row)
    return word


def reduced_rows(rows: Iterable[int]) -> list[int]:
    """Return a basis of the linear code of all sums of `rows`, in descending order as integers.

    The highest bit that is 1 is at a different position in every codeword of the basis.
    """
    independent: list[int] = []
    for row in rows:
        rest = reduced(row, independent)
        if rest:
            independent = sorted([*independent, rest], reverse=True)
    return independent


Cosets = dict[int, Counter[int]]
"""For each label, the number of its codewords in each coset; a coset is named by its smallest codeword."""


def cosets_of(labels: Sequence[int], words: list[int], rows: list[int]) -> Cosets:
    """Return a mapping from each label to a counter, which says how many codewords with this label are in each coset.

    The cosets are those of a linear code. The key of a coset in the counter is its codeword that is smallest as an
    integer. The label of a codeword is the index of its glue vector, or 0 if there are no glue vectors.

    Args:
        labels: Label of each codeword.
        words: The codewords.
        rows: A basis of the linear code, in descending order as integers. No two codewords of the basis may have the
            same highest one.
    """
    cosets: Cosets = {label: Counter() for label in sorted(set(labels))}
    for label, word in zip(labels, words, strict=True):
        cosets[label][reduced(word, rows)] += 1
    return cosets


def are_filled(cosets: Cosets, size: int) -> bool:
    """Return whether whole cosets may be compared in place of the codewords of the file to find minimum distances.

    `cosets` maps each label to a counter, which says how many codewords of the file with this label are in each coset
    of a linear code. The linear code has `size` codewords. A group consists of all codewords of the file that have the
    same label and are in the same coset. The result is True if two conditions hold:

    - For any two groups A and B, |A| + |B| > size. Then the minimum distance between A and B is the minimum distance
      between their cosets, for this reason: consider two codewords, one of each coset. The cosets contain `size` pairs
      of codewords with the same sum. Each codeword of the two cosets that is missing from A or B excludes one of these
      pairs. As |A| + |B| > size, fewer than `size` codewords are missing, so at least one of the pairs consists of
      codewords of A and B.
    - For any group A of at least two codewords, 2 |A| > size. Then the minimum distance within A is the minimum
      distance within its coset, for the same reason.
    """
    counts = sorted(count for counter in cosets.values() for count in counter.values())
    alone = all(2 * count > size for count in counts if count > 1)
    return alone and (len(counts) == 1 or sum(counts[:2]) > size)


def filled_subcode(labels: Sequence[int], code: Codewords) -> list[int]:
    """Return generators of a linear code whose cosets may be compared in place of single codewords.

    The minimum distances between the cosets are then those between the codewords of the file in them, because the file
    has enough codewords of each coset (`are_filled` has the proof). The linear code consists of the sums of the first k
    of the codewords `code.rows`. The number k is as large as possible, up to 20. If no k > 0 is possible, or if the
    file has at most 2,000 codewords, the result is an empty list.

    Args:
        labels: Label of each codeword: the index of the glue vector that follows it, or 0 if there are no glue vectors.
        code: The codewords of the file.
    """
    count = len(code.words)
    if count > FEW_WORDS:
        most = min(len(code.rows), count.bit_length(), LARGEST_SPAN_BITS)
        for size in range(most, 0, -1):
            rows = reduced_rows(code.rows[:size])
            if are_filled(cosets_of(labels, code.words, rows), 1 << len(rows)):
                return rows
    return []


def least_distances(
    code: CodeFile, labels: Sequence[int], signs: Codewords
) -> dict[tuple[int, int], int]:
    """Return a mapping from pairs of labels to minimum distances of codewords.

    The label of a codeword is the index of its glue vector, or 0 if there are no glue vectors. The minimum distance of
    the pair (g, h) is the smallest Hamming distance between a codeword with label g and another codeword with label h.
    Each pair of labels occurs in one order only. A pair (g, g) is left out if only one codeword has the label g. If two
    codewords with the same label are equal, the mapping has only one entry, with the distance 0.

    Args:
        code: The code file. Its attribute `limit` limits the work.
        labels: Label of each codeword.
        signs: The codewords of the file, in the same order as `labels`.
    """
    if len(set(zip(labels, signs.words, strict=True))) < len(labels):
        return {(labels[0], labels[0]): 0}  # two classes have one point
    rows = filled_subcode(labels, signs)
    cosets = cosets_of(labels, signs.words, rows)
    code.hold(signs.length // 8 << len(rows))
    sums = all_sums(rows)
    number = sum(map(len, cosets.values()))
    code.spend(number**2 * len(sums) // 2)
    groups = {label: list(counter) for label, counter in cosets.items()}
    least: dict[tuple[int, int], int] = {}
    for g, h in combinations_with_replacement(groups, 2):
        found: list[int] = []
        if g == h and max(cosets[g].values()) > 1:
            found.append(min(map(int.bit_count, sums[1:])))
        for i, word in enumerate(groups[g]):
            others = groups[h] if g != h else groups[g][i + 1 :]
            found += nearest(word, others, sums)
        if found:
            least[g, h] = min(found)
    return least


def nearest(word: int, others: list[int], sums: list[int]) -> list[int]:
    """Return a list of integers whose minimum is the distance from a coset to the nearest of some other cosets.

    All cosets are those of one linear code. The distance of two cosets is the smallest Hamming distance between a
    codeword of the first and a codeword of the second.

    Args:
        word: A codeword of the first coset.
        others: One codeword of each of the other cosets. If there are none, the result is an empty list.
        sums: All codewords of the linear code.
    """
    if not others:
        return []
    outer, inner = (others, sums) if len(others) < len(sums) else (sums, others)
    return [
        min(map(int.bit_count, map((word ^ shift).__xor__, inner))) for shift in outer
    ]


def sign_cosine(code: CodeFile) -> MaxCosine:
    """Return the maximum cosine of points with entries +-1/sqrt(n), which are stored as codewords of n bits."""
    signs = read_codewords(code, code.description["structure"], code.dim)
    distance = least_distances(code, [0] * code.count, signs)[0, 0]
    cosine = 1 - Fraction(2 * distance, code.dim)
    return MaxCosine(cosine, cosine, "signs divided by sqrt(n)")


def glued_cosine(code: CodeFile) -> MaxCosine:
    """Return the maximum cosine of codewords that are followed by glue vectors.

    A point is (sqrt(share) w, sqrt(1 - share) g). The vector w, with N entries +1/sqrt(N) or -1/sqrt(N), is a codeword
    of N bits. The glue vector g is row i // group of the array "glue_vectors", where i is the index of the codeword in
    its code. The header of the file has the numbers "share" and "group".
    """
    share = fraction_in(code.description["glue"]["share"])
    group = code.description["glue"]["group"]
    ensure(0 < share <= 1 and group >= 1, "'glue' has no share or group")
    array = code.array("glue_vectors", "F64", None, None)
    width = array.shape[1]
    vectors = scaled(array)
    unit = ZERO
    if share < 1:
        unit = unit_error(vectors, width)
    signs = read_codewords(code, code.description["codewords"], code.dim - width)
    labels = [number // group for number in signs.numbers]
    cosines: list[Fraction] = []
    for (g, h), distance in least_distances(code, labels, signs).items():
        between = Fraction(sum(map(mul, vectors[g], vectors[h])), ONE * ONE)
        of_words = 1 - Fraction(2 * distance, signs.length)
        cosines.append(share * of_words + (1 - share) * between)
    error = (1 - share) * (rounding(width) + 2 * unit)
    low = max(cosines) - error
    return MaxCosine(low, low + 2 * error, "signs, and vectors after them", unit)


def words_and_axes_cosine(code: CodeFile) -> MaxCosine:
    """Return the maximum cosine of points that are codewords or axes.

    A codeword of N bits, where N is a square, is a point with entries +-1/sqrt(N). An axis is a unit vector e_i or -e_i
    for i from 0 to N - 1. The array "axes" has an integer for each point: 0 stands for a codeword, 1 + 2i for e_i, and
    2 + 2i for -e_i.
    """
    length = code.dim - size_in(code.description["zeros"])
    root = math.isqrt(max(0, length))
    ensure(root * root == length > 0, "the length of the codewords is not a square")
    entries = number_array(code, "axes", 2 * length + 1)
    axes = [entry - 1 for entry in entries if entry]
    own = replace(code, count=entries.count(0))
    signs = read_codewords(own, code.description["codewords"], length)
    cosines: list[Fraction] = []
    if len(signs.words) > 1:
        distance = least_distances(own, [0] * own.count, signs)[0, 0]
        cosines.append(1 - Fraction(2 * distance, length))
    # the entry i of a word is +, and so is its product with e_i, if its bit i from the left is 1
    some_plus = 0
    some_minus = 0
    for word in signs.words:
        some_plus |= word
        some_minus |= ~word
    for axis in axes:
        signs_there = some_minus if axis % 2 else some_plus
        positive = signs_there >> (length - 1 - axis // 2) & 1
        cosines.append(Fraction(1 if positive else -1, root))
    if len(axes) > 1:
        apart = ZERO if len({axis // 2 for axis in axes}) > 1 else Fraction(-1)
        cosines.append(apart if len(set(axes)) == len(axes) else Fraction(1))
    cosine = max(cosines)
    return MaxCosine(cosine, cosine, "signs divided by sqrt(n), and axes")


# Points that are given by their definition


def read_simplices(code: CodeFile) -> tuple[list[int], tuple[int, ...]]:
    """Return for each point the index of its simplex, and for each simplex the number of its vertices.

    Both results are sequences of integers. The index of a simplex is its position in the second sequence.
    """
    sizes = code.array("sizes", "I64", None).numbers()
    fits = min(sizes) >= 2 and sum(sizes) - len(sizes) <= code.dim
    ensure(fits, "the simplices do not fit into the dimensions")
    numbers = number_array(code, "numbers", sum(sizes))
    ensure(len(set(numbers)) == code.count, "two classes have the same point")
    ends = list(accumulate(sizes))
    return [bisect_right(ends, number) for number in numbers], sizes


def simplex_cosine(code: CodeFile) -> MaxCosine:
    """Return the maximum cosine of points that are vertices of regular simplices in orthogonal subspaces.

    - If all points are vertices of one simplex, it is -1 / (size - 1), where `size` is the number of its vertices.
    - If the points are vertices of at least two simplices, it is 0.
    """
    simplices, sizes = read_simplices(code)
    cosine = Fraction(-1, sizes[simplices[0]] - 1)
    if len(set(simplices)) > 1:
        cosine = ZERO
    return MaxCosine(cosine, cosine, "regular simplices in orthogonal subspaces")


# Classes made of parts: the cosine of two classes is the mean of the cosines of their parts, weighted by shares


@dataclass(frozen=True)
class Part:
    """One of the parts that describe a class, such as a color. Each value of the part is represented by a point.

    Attributes:
        share: Weight of this part in the cosine of two classes.
        cosines: Matrix of integers. Entry (i, j) is the cosine of the points of values i and j, multiplied by ONE^2 =
            2^104 and rounded.
        error: Upper bound on the error of each entry of `cosines` after division by ONE^2.
        unit: Upper bound on how far the squared norms of the points differ from 1.
    """

    share: Fraction
    cosines: list[list[int]]
    error: Fraction
    unit: Fraction

    def largest(self) -> Fraction:
        """Return the maximum cosine of the points of two different values. The part must have at least two values."""
        rows = enumerate(self.cosines)
        return Fraction(max(max(row[:i]) for i, row in rows if i), ONE * ONE)


def read_part(code: CodeFile, number: int, record: dict[str, Any]) -> Part:
    """Return one of the parts that describe a class, such as a color.

    Args:
        code: The code file.
        number: Index of the part, from 0.
        record: Object in the header that describes the part. Its entry "size" is the number of values of the part. If
            the file stores more points for the part, the first of them represent the values, and the others are
            ignored.
    """
    prefix = f"part{number}_"
    own = {
        name.removeprefix(prefix): array
        for name, array in code.arrays.items()
        if name.startswith(prefix)
    }
    count = size_in(record["num_points"])
    dim = size_in(record["dim"])
    size = size_in(record["size"])
    ensure(1 <= size <= count, "a part has more values in use than points")
    code.spend(size * size * dim)
    part = CodeFile(own, record, {}, count, dim, code.limit)
    cosines, unit = part_cosines(part, size)
    error = Fraction(1, ONE * ONE) if unit == 0 else rounding(dim) + 2 * unit
    return Part(fraction_in(record["share"]), cosines, error, unit)


def part_cosines(part: CodeFile, size: int) -> tuple[list[list[int]], Fraction]:
    """Return the cosines of the first `size` points of a part, and a bound on how far squared norms differ from 1.

    The cosines are a matrix of integers. Entry (i, j) is the cosine of points i and j, multiplied by ONE^2 = 2^104.

    - If the points are stored as float64 coordinates, the entries and the bound are computed from the scaled rows, that
      is, from the coordinates multiplied by ONE = 2^52 and rounded to integers.
    - If they are stored in another form, such as signs, their cosines and norms are known exactly. The entries are
      rounded down to integers, and the bound is 0.

    Args:
        part: Arrays and header of the part, in the form of a code file.
        size: How many of the points are used.
    """
    structure = part.description["structure"]
    if structure in ("plain", "lattice"):
        rows = scaled(part.array("points", "F64", part.count, part.dim))[:size]
        unit = unit_error(rows, part.dim)
        return [[sum(map(mul, x, y)) for y in rows] for x in rows], unit
    cosines: list[list[int]] = []
    if structure == "simplices":
        simplices, sizes = read_simplices(part)
        simplices = simplices[:size]
        for i, b in enumerate(simplices):
            row = [-ONE * ONE // (sizes[b] - 1) * (b == other) for other in simplices]
            row[i] = ONE * ONE
            cosines.append(row)
    else:
        words = read_codewords(part, structure, part.dim).words[:size]
        for word in words:
            products = [part.dim - 2 * (word ^ other).bit_count() for other in words]
            cosines.append([ONE * ONE * product // part.dim for product in products])
    return cosines, ZERO


def product_cosine(code: CodeFile) -> MaxCosine:
    """Return the maximum cosine of the points of classes that are described by parts.

    A class has one value of each part, such as a color and a shape.

    - If every combination of values is a class, the maximum cosine is computed from the maximum cosines of the parts.
    - Otherwise, all pairs of classes are compared.
    """
    records = code.description["parts"]
    entries = sum(size_in(record["size"]) ** 2 for record in records)
    code.hold(entries * BYTES_OF_AN_INTEGER)
    parts = [read_part(code, i, record) for i, record in enumerate(records)]
    total = sum((part.share for part in parts), ZERO)
    valid = min(part.share for part in parts) > 0 and abs(total - 1) < Fraction(
        1, 1 << 44
    )
    ensure(valid, "the shares of the parts are not positive numbers of sum 1")
    dims = sum(record["dim"] for record in records)
    ensure(dims <= code.dim, "the parts do not fit into the dimensions")
    error = sum(part.share * part.error for part in parts) + 2 * abs(total - 1)
    columns = class_columns(code, [len(part.cosines) for part in parts])
    if math.prod(len(part.cosines) for part in parts) == code.count:
        used = [part for part in parts if len(part.cosines) > 1]
        cosine = 1 - min(part.share * (1 - part.largest()) for part in used)
    else:
        code.spend(code.count**2 * len(parts) // 2)
        cosine = largest_of_classes(parts, columns)
    unit = sum((part.share * part.unit for part in parts), abs(total - 1))
    points = "points of parts side by side"
    return MaxCosine(cosine - error, cosine + error, points, unit)


def class_columns(code: CodeFile, sizes: list[int]) -> list[tuple[int, ...]]:
    """Return the values of the classes, one column for each part.

    Entry i of a column is the index of the value that class i has in this part.

    A file may omit the columns if every combination of values is a class. If it does, the result is an empty list.

    Args:
        code: The code file.
        sizes: For each part, how many values it has.
    """
    if "values" not in code.arrays:
        every = math.prod(sizes) == code.count
        ensure(every, "not every combination is a class")
        return []
    kind = code.arrays["values"].kind
    ensure(kind in ("U8", "U16", "U32"), "a value is not an unsigned integer")
    values = code.array("values", kind, code.count, len(sizes)).rows()
    ensure(len(set(values)) == code.count, "a class occurs twice")
    columns = list(zip(*values, strict=True))
    for column, size in zip(columns, sizes, strict=True):
        ensure(max(column) < size, "a class has a value that its part does not have")
    return columns


def largest_of_classes(parts: list[Part], columns: list[tuple[int, ...]]) -> Fraction:
    """Return the largest cosine of two different classes.

    The cosine of two classes is the sum over all parts of the share of the part, multiplied by the cosine of the points
    of their values.

    Args:
        parts: The parts, with their shares and the cosines of their values.
        columns: One column for each part. Entry i of a column is the index of the value that class i has in this part.
    """
    scale = math.lcm(*(part.share.denominator for part in parts))
    tables = [
        [[int(part.share * scale) * x for x in row] for row in part.cosines]
        for part in parts
    ]
    best = -scale * ONE * ONE
    for i in range(1, len(columns[0])):
        products = zip(
            *(
                map(table[column[i]].__getitem__, column[:i])
                for table, column in zip(tables, columns, strict=True)
            ),
            strict=True,
        )
        best = max(best, *map(sum, products))
    return Fraction(best, scale * ONE * ONE)


# Quantized points: values of parts side by side, and the sum of codewords, scaled so that the point has norm 1

FINE = 1 << 104
"""Factor by which values and codewords are multiplied.

Float64 numbers with an absolute value of at least 2^-52 then become integers without rounding.
"""
FINE_FACTOR = 1 << 160
LEAST_REST = Fraction(999_999, 10**9)
"""Smallest squared norm that the parts of a point leave to its codewords: 1/1000, less a margin."""
LEAST_SUM = Fraction(999_999, 10**9)
MOST_CANCELED = 65
"""Largest ratio of the norms of the codewords of a point, added up, to the norm of their sum."""
LARGEST_ENTRY = 10**6
MOST_PARTS = 1 << 12
LARGEST_QUANTIZED_DIM = 1 << 24


def fine_rows(code: CodeFile, name: str) -> list[list[int]]:
    """Return the rows of an array, with every entry multiplied by FINE = 2^104 and rounded to an integer.

    Args:
        code: The code file.
        name: Name of the array, which has float64 entries and two axes.
    """
    array = code.array(name, "F64", None, None)
    entries = math.prod(array.shape)
    ensure(entries > 0, f"'{name}' is empty")
    code.hold(entries * BYTES_OF_AN_INTEGER)
    rows: list[list[int]] = [[round(x * FINE) for x in row] for row in array.rows()]
    largest = max(max(map(abs, row)) for row in rows)
    ensure(largest <= LARGEST_ENTRY * FINE, f"'{name}' has too large entries")
    return rows


def read_quantized(code: CodeFile) -> tuple[list[list[list[int]]], list[list[list[int]]]]:  # fmt: skip
    """Return the parts and the codebooks of the quantized points of a file, as two lists of matrices.

    The first list has one matrix for each part. Its rows are vectors, called the values of the part. The second list
    has one matrix for each codebook. Its rows are vectors, called the codewords of the codebook. All entries are
    multiplied by FINE = 2^104 and rounded to integers.
    """
    num_parts = size_in(code.description["num_parts"])
    num_codebooks = size_in(code.description["num_codebooks"])
    few = 1 <= num_parts <= MOST_PARTS and 1 <= num_codebooks <= MOST_PARTS
    ensure(few, "the number of parts or of codebooks is out of range")
    parts = [fine_rows(code, f"part{i}_points") for i in range(num_parts)]
    codewords = fine_rows(code, "codewords")
    size = len(codewords) // num_codebooks
    ensure(size * num_codebooks == len(codewords), "the codebooks differ in size")
    starts = range(0, len(codewords), size)
    return parts, [codewords[start : start + size] for start in starts]


def quantized_cosine(code: CodeFile) -> MaxCosine:
    """Return the maximum cosine of quantized points by comparing all pairs.

    A point is a vector (x, c y). Here x lists the coordinates of one value of each part, y is the sum of one codeword
    of each codebook, and c > 0 is the factor that gives the point norm 1. The points are computed so accurately that
    each coordinate of a scaled row differs by little more than 1/2 from the exact coordinate multiplied by ONE = 2^52.
    The result is an interval that contains the maximum cosine.
    """
    parts, codebooks = read_quantized(code)
    width = sum(len(table[0]) for table in [*parts, codebooks[0]])
    fits = width <= code.dim <= LARGEST_QUANTIZED_DIM
    ensure(fits, "the parts do not fit into the dimensions")
    code.spend(code.count**2 * width // 2)
    ensure("values" in code.arrays, "'values' is missing")
    columns = class_columns(code, [len(table) for table in [*parts, *codebooks]])
    classes = list(zip(*columns, strict=True))
    different = len({values[: len(parts)] for values in classes}) == code.count
    ensure(different, "two classes have the same value of every part")
    rows = [quantized_row(parts, codebooks, values) for values in classes]
    unit = unit_error(rows, width)
    cosine = Fraction(largest_long_product(rows, width), ONE * ONE)
    error = rounding(width) + 2 * unit
    return MaxCosine(cosine - error, cosine + error, "values of parts, and sums of codewords", unit)  # fmt: skip


def quantized_row(
    parts: list[list[list[int]]],
    codebooks: list[list[list[int]]],
    values: Sequence[int],
) -> list[int]:
    """Return the coordinates of a quantized point, multiplied by ONE = 2^52 and rounded to integers.

    The point is a vector (x, c y). Here x lists the coordinates of one value of each part, y is the sum of one codeword
    of each codebook, and c > 0 is the factor that gives the point norm 1.

    Args:
        parts: For each part, a matrix whose rows are its values, multiplied by FINE = 2^104 and rounded to integers.
        codebooks: For each codebook, a matrix whose rows are its codewords, multiplied by FINE and rounded to integers.
        values: Index of the point's value in each part, followed by the index of its codeword in each codebook.
    """
    row: list[int] = []
    for part, value in zip(parts, values, strict=False):
        row += part[value]
    words = zip(codebooks, values[len(parts) :], strict=True)
    chosen = [codebook[word] for codebook, word in words]
    total = [sum(column) for column in zip(*chosen, strict=True)]
    longest = MOST_CANCELED * math.isqrt(sum(map(mul, total, total)))
    norms = (math.isqrt(sum(map(mul, word, word))) for word in chosen)
    ensure(sum(norms) <= longest, "the codewords of a point cancel")
    return row_of_norm_one(row, total)


def row_of_norm_one(row: list[int], total: list[int]) -> list[int]:
    """Return the vector (x, c y) of norm 1, with its coordinates multiplied by ONE = 2^52 and rounded to integers.

    The factor c > 0 is determined by the norm. If there is no such factor, VerificationError is raised.

    Args:
        row: Coordinates of x, multiplied by FINE = 2^104 and rounded to integers.
        total: Coordinates of y, multiplied by FINE and rounded to integers.
    """
    rest = FINE * FINE - sum(map(mul, row, row))
    square = sum(map(mul, total, total))
    fits = rest >= LEAST_REST * FINE * FINE and square >= (LEAST_SUM * FINE) ** 2
    ensure(fits, "a point cannot have norm 1")
    factor = math.isqrt(rest * FINE_FACTOR * FINE_FACTOR // square)
    step = FINE // ONE
    scaled = [divided(x, step) for x in row]
    return scaled + [divided(x * factor, step * FINE_FACTOR) for x in total]


def divided(x: int, y: int) -> int:
    """Return x / y, rounded to the nearest integer. Halves are rounded up, and y must be positive."""
    return (2 * x + y) // (2 * y)


STRUCTURES: dict[str, Callable[[CodeFile], MaxCosine]] = {
    "plain": dense_cosine,
    "lattice": dense_cosine,
    "signs": sign_cosine,
    "linear": sign_cosine,
    "cosets": sign_cosine,
    "shortened": sign_cosine,
    "glued": glued_cosine,
    "words_and_axes": words_and_axes_cosine,
    "simplices": simplex_cosine,
    "product": product_cosine,
    "quantized": quantized_cosine,
}


# ----------------------------------------------------------------------------------------------------------------------
# 3. Converse

Polynomial = list[Fraction]
"""Coefficients of 1, t, t^2, ..."""

LARGEST_DEGREE = 100
LEVENSHTEIN_SCALE = 1 << 46
"""Levenshtein's bound is checked at two multiples of 1 / LEVENSHTEIN_SCALE.

The rounding error of the bound as a float is at most an eighth of 1 / LEVENSHTEIN_SCALE.
"""


def value_at(f: Polynomial, t: Fraction) -> Fraction:
    """Return the value f(t) of the polynomial f at the number t."""
    value = ZERO
    for coefficient in reversed(f):
        value = value * t + coefficient
    return value


def plus(f: Polynomial, factor: Fraction, g: Polynomial) -> Polynomial:
    """Return the polynomial f + factor * g."""
    pairs = zip_longest(f, g, fillvalue=ZERO)
    return [a + factor * b for a, b in pairs]


def times(f: Polynomial, g: Polynomial) -> Polynomial:
    """Return the product f g of two polynomials."""
    product: Polynomial = []
    for i, a in enumerate(f):
        product = plus(product, a, [ZERO] * i + g)
    return product


def gegenbauer(dim: int, degree: int) -> list[Polynomial]:
    """Return the Gegenbauer polynomials P_0, ..., P_degree of R^n, where n is `dim`. P_k(1) is 1."""
    found = [[Fraction(1)], [ZERO, Fraction(1)]]
    for k in range(1, degree):
        raised = plus([], Fraction(2 * k + dim - 2, k + dim - 2), [ZERO, *found[k]])
        found.append(plus(raised, Fraction(-k, k + dim - 2), found[k - 1]))
    return found[: degree + 1]


def expansion(f: Polynomial, dim: int) -> list[Fraction]:
    """Return the coefficients f_k of f = f_0 P_0 + f_1 P_1 + ..., where P_k are the Gegenbauer polynomials of R^n.

    The polynomials P_k are scaled such that P_k(1) = 1.

    Args:
        f: The polynomial f.
        dim: Dimension n.
    """
    basis = gegenbauer(dim, len(f) - 1)
    coefficients: list[Fraction] = []
    for k in reversed(range(len(f))):
        coefficients.append(f[k] / basis[k][k])
        f = plus(f, -coefficients[-1], basis[k])
    return coefficients[::-1]


def from_expansion(coefficients: list[Fraction], dim: int) -> Polynomial:
    """Return the polynomial f_0 P_0 + f_1 P_1 + ..., where P_k are the Gegenbauer polynomials of R^n.

    The polynomials P_k are scaled such that P_k(1) = 1.

    Args:
        coefficients: The numbers f_0, f_1, ...
        dim: Dimension n.
    """
    f: Polynomial = []
    for k, basis in enumerate(gegenbauer(dim, len(coefficients) - 1)):
        f = plus(f, coefficients[k], basis)
    return f


def excludes(coefficients: list[Fraction], count: int) -> bool:
    """Return whether a polynomial f proves that among any K points of R^n, two have a cosine t with f(t) > 0.

    `count` is K, and `coefficients` are the numbers f_k of f = f_0 P_0 + f_1 P_1 + ..., where P_k are the Gegenbauer
    polynomials of R^n. The result is True if f_0 > 0, no f_k is negative, and f(1) < K f_0. Since P_k(1) = 1, f(1) is
    the sum of the f_k.

    The proof is by Delsarte, Goethals and Seidel. Let S be the sum of f(<x, y>) over all ordered pairs (x, y) of the K
    points, including x = y. The same sum of P_k(<x, y>) is not negative (Schoenberg), and it is K^2 for k = 0. So S is
    at least K^2 f_0. If f(t) were at most 0 for the cosine t of every two different points, S would be at most K f(1).
    This is less than K^2 f_0, a contradiction.
    """
    valid = coefficients[0] > 0 and min(coefficients) >= 0
    return valid and sum(coefficients) < count * coefficients[0]


def sturm_sequence(f: Polynomial) -> list[Polynomial]:
    """Return the Sturm sequence of a polynomial f.

    The first two polynomials are f and its derivative. Each further polynomial is a negative multiple of the remainder
    that results when the polynomial two places before it is divided by the polynomial just before it. The sequence ends
    before the first remainder that is 0.
    """
    sequence = [f, [k * a for k, a in enumerate(f)][1:]]
    while len(sequence[-1]) > 1:
        rest, divisor = sequence[-2:]
        while len(rest) >= len(divisor):
            shifted = [ZERO] * (len(rest) - len(divisor)) + divisor
            rest = plus(rest, -rest[-1] / divisor[-1], shifted)[:-1]
        while rest and rest[-1] == 0:
            rest = rest[:-1]
        if not rest:
            break
        sequence.append(plus([], -1 / max(map(abs, rest)), rest))
    return sequence


def is_negative(f: Polynomial, low: Fraction, high: Fraction) -> bool:
    """Return whether f is negative on the interval from `low` to `high`, including its ends.

    If f is negative at both ends, Sturm's theorem shows whether f has a zero between them.
    """
    if value_at(f, low) >= 0 or value_at(f, high) >= 0:
        return False
    sequence = sturm_sequence(f)
    changes: list[int] = []
    for t in (low, high):
        signs = [value > 0 for value in (value_at(g, t) for g in sequence) if value]
        changes.append(sum(a != b for a, b in pairwise(signs)))
    return changes[0] == changes[1]


def read_proof(path: Path, code: CodeFile) -> dict[str, Any]:
    """Read a proof file, and return the JSON object in it.

    The object states a lower bound on the maximum cosine of any K points of R^n, and a polynomial that proves it.
    NotCheckedError is raised if the file cannot be read, is not a proof file, or is for other numbers K and n than
    those of `code`.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise NotCheckedError(f"cannot read the proof file {path}: {reason}") from None
    try:
        proof = strict_json(content)
        own = proof["format"] == PROOF_FORMAT
    except (VerificationError, ValueError, KeyError, TypeError, RecursionError):
        own = False
        proof = {}
    not_checked_unless(
        own, f"{path} is not a proof file that `protosphere certify --proof` wrote"
    )
    sizes = (proof.get("num_classes", code.count), proof.get("dim", code.dim))
    wanted = (code.count, code.dim)
    what = f"K={shortened(sizes[0])} and n={shortened(sizes[1])}"
    of_code = f"the code has K={code.count} and n={code.dim}"
    not_checked_unless(
        sizes == wanted, f"the proof file {path} is for {what}, but {of_code}"
    )
    return proof


def shortened(value: Any) -> str:
    """Return the first 20 characters of `repr(value)`, for an error message."""
    return repr(value)[:20]


def proof_bound(proof: dict[str, Any], code: CodeFile) -> Fraction:
    """Return the lower bound on the maximum cosine of any K points that a proof states, after checking the proof.

    The proof has the bound and the coefficients of a polynomial f in the Gegenbauer polynomials of R^n. The
    coefficients must satisfy the conditions in `excludes`, which prove that any K points include two with a cosine t
    for which f(t) > 0. The polynomial f must be negative from -1 to the bound. So t is above the bound. If the proof is
    wrong, VerificationError is raised.

    Args:
        proof: JSON object of the proof file.
        code: The code file, which has K and n.
    """
    cosine = fraction_in(proof["cosine"])
    coefficients = [fraction_in(coefficient) for coefficient in proof["coefficients"]]
    degree = len(coefficients) - 1
    ensure(1 <= degree <= LARGEST_DEGREE, "the degree of the proof is out of range")
    ensure(excludes(coefficients, code.count), "the proof does not exclude K points")
    f = from_expansion(coefficients, code.dim)
    below = -1 < cosine < 1 and f[-1] != 0 and is_negative(f, Fraction(-1), cosine)
    ensure(below, "the polynomial of the proof is not negative up to its cosine")
    return cosine


def checked_proof(name: str, proof: dict[str, Any], code: CodeFile) -> Fraction:
    """Return the lower bound on the maximum cosine of any K points that a proof states, after checking the proof.

    Args:
        name: Name of the proof file, for the error message.
        proof: JSON object of the proof file.
        code: The code file, which has K and n.

    Raises:
        VerificationError: If the proof is wrong or malformed.
    """
    try:
        return proof_bound(proof, code)
    except VerificationError as error:
        raise VerificationError(f"the proof file {name}: {error}") from None
    except (KeyError, TypeError, ValueError) as error:
        found = type(error).__name__
        raise VerificationError(f"the proof file {name} is malformed ({found})") from None  # fmt: skip


# Levenshtein's bound


def levenshtein_degree(count: int, dim: int) -> int:
    """Return the degree of Levenshtein's polynomial for K points in R^n: the smallest m >= 1 with K <= D(n, m + 1).

    D(n, m) is the lower bound of Delsarte, Goethals and Seidel on the number of points of a spherical m-design in R^n.
    """
    for m in range(1, LARGEST_DEGREE + 1):
        k = (m + 1) // 2
        size = math.comb(dim + k - 1, k)
        size += math.comb(dim + k - 2, k - 1) if m % 2 else size
        if count <= size:
            return m
    raise VerificationError("Levenshtein's polynomial has too large a degree")


def levenshtein_factor(dim: int, degree: int, s: Fraction) -> Polynomial:
    """Return the polynomial g for which f(t) = (t - s) g(t) is Levenshtein's polynomial of the degree m = `degree`.

    If m is odd, g(t) = q(t)^2 with a polynomial q. If m is even, g(t) = (t + 1) q(t)^2. So f(t) <= 0 for -1 <= t <= s.

    The polynomial q(t) is the reproducing kernel k(s, t) of the polynomials of degree below m / 2. Let w(t) be the
    weight for which the Gegenbauer polynomials of R^n are orthogonal. The weight of the kernel is (1 - t) w(t) if m is
    odd, and (1 - t^2) w(t) if m is even. The second weight belongs to the Gegenbauer polynomials of R^(n+2).
    """
    n = dim if degree % 2 else dim + 2
    kernel: Polynomial = []
    partial: Polynomial = []
    for k, basis in enumerate(gegenbauer(n, (degree - 1) // 2)):
        harmonics = math.comb(n + k - 1, k)
        if k > 1:
            harmonics -= math.comb(n + k - 3, k - 2)
        if degree % 2:
            partial = plus(partial, Fraction(harmonics), basis)
            norm = abs(value_at(partial, Fraction(-1)))
            kernel = plus(kernel, value_at(partial, s) / norm, partial)
        else:
            kernel = plus(kernel, harmonics * value_at(basis, s), basis)
    square = times(kernel, kernel)
    return square if degree % 2 else plus([ZERO, *square], Fraction(1), square)


def levenshtein_excludes(count: int, dim: int, s: Fraction) -> bool:
    """Return whether Levenshtein's polynomial proves that any K points of R^n have a maximum cosine above s."""
    g = levenshtein_factor(dim, levenshtein_degree(count, dim), s)
    return excludes(expansion(plus([ZERO, *g], -s, g), dim), count)


def levenshtein_is_sharp(count: int, dim: int, s: Fraction) -> bool:
    """Return whether Levenshtein's polynomial proves that any K points of R^n have a maximum cosine of at least s.

    Let f(t) = (t - s) g(t) be Levenshtein's polynomial, with the factor g of `levenshtein_factor`, which is at least 0
    for t >= -1. Let P_k be the Gegenbauer polynomials of R^n, and write f = f_0 P_0 + f_1 P_1 + ... and g = g_0 P_0 +
    g_1 P_1 + ... The result is True if five conditions hold: f_0 > 0, no f_k is negative, g_k >= 0 wherever f_k = 0,
    f(1) = K f_0, and g(1) < K g_0.

    The proof is as follows. For a small number e > 0, let h = f + e g. This polynomial equals (t - (s - e)) g(t), so it
    is at most 0 for -1 <= t <= s - e. By the five conditions, h_0 > 0, no h_k is negative, and h(1) < K h_0. These are
    the conditions of `excludes` for h, which prove that two of any K points have a cosine t with h(t) > 0. So any K
    points have a maximum cosine above s - e. As e can be arbitrarily small, the maximum cosine is at least s.
    """
    factor = levenshtein_factor(dim, levenshtein_degree(count, dim), s)
    f = expansion(plus([ZERO, *factor], -s, factor), dim)
    g = [*expansion(factor, dim), ZERO]
    valid = all(a > 0 or (a == 0 <= b) for a, b in zip(f, g, strict=True))
    return valid and f[0] > 0 and sum(f) == count * f[0] and sum(g) < count * g[0]


def circle_bound(count: int) -> Fraction:
    """Return a Fraction just below cos(2 pi / K), where K is `count`.

    This cosine is a lower bound on the maximum cosine of K points on a circle.
    """
    square = (2 * Fraction("3.14159265358979323846264338327950288420") / count) ** 2
    term = Fraction(1)
    total = term
    for k in range(1, 26):  # a partial sum of the series that ends below the cosine
        term *= -square / (2 * k * (2 * k - 1))
        total += term
    return total


# Theorems that are cited

CITED = """
3 7 0.2101383127306030848657 Schütte-van der Waerden
3 8 0.2612038749637414425147 Schütte-van der Waerden
3 9 1/3 Schütte-van der Waerden
3 10 0.4043943252162507568462 Danzer
3 11 0.4472135954999579392818 Danzer
3 12 0.4472135954999579392818 Fejes Tóth
3 13 0.5426364868296384636814 Musin-Tarasov
3 14 0.5639503003605051674908 Musin-Tarasov
3 24 0.7230784683335085370323 Robinson
4 10 1/6 Bachoc-Vallentin
4 24 1/2 de Laat-Leijenhorst-de Muinck Keizer
21 50 1/21 Cohn-de Laat-Leijenhorst
20 56 1/15 Cohn-de Laat-Leijenhorst
21 77 1/12 Cohn-de Laat-Leijenhorst
16 288 1/4 Cohn-de Laat-Leijenhorst
64 4224 1/8 Cohn-de Laat-Leijenhorst
256 66048 1/16 Cohn-de Laat-Leijenhorst
1024 1050624 1/32 Cohn-de Laat-Leijenhorst
"""
"""Configurations that are proved optimal: n, K, maximum cosine (rounded down), authors of the proof."""


def cited_bound(count: int, dim: int, theorem: str) -> Fraction:
    """Return the lower bound on the maximum cosine of K points in R^n that the table `CITED` has for a theorem.

    A row of the table has two numbers n' and K', the maximum cosine of an optimal code of K' points in R^n', and the
    authors of the theorem. This maximum cosine is a lower bound for at least K' points in at most n' dimensions. If
    several rows of the theorem apply, the largest of these bounds is returned. If no row applies, VerificationError is
    raised.

    Args:
        count: Number K of points.
        dim: Dimension n.
        theorem: Names of the authors.
    """
    values: list[Fraction] = []
    for line in CITED.split("\n")[1:-1]:
        n, K, value, authors = line.split(" ", 3)
        if authors == theorem and dim <= int(n) and int(K) <= count:
            values.append(Fraction(value))
    ensure(bool(values), f"no theorem '{theorem}' on {count} points is known")
    return max(values)


QUADRATURE_POINTS = 24


def legendre(degree: int, x: float) -> tuple[float, float]:
    """Return P(x) and the derivative P'(x), where P is the Legendre polynomial of the given degree and -1 < x < 1."""
    before, value = 1.0, x
    for k in range(1, degree):
        before, value = value, ((2 * k + 1) * x * value - k * before) / (k + 1)
    return value, degree * (before - x * value) / (1 - x * x)


def quadrature_nodes(count: int) -> list[tuple[float, float]]:
    """Return `count` pairs (node, weight) for Gauss-Legendre quadrature on [0, 1], computed by Newton's method."""
    pairs: list[tuple[float, float]] = []
    for i in range(count):
        x = math.cos(math.pi * (i + 0.75) / (count + 0.5))
        for _ in range(10):
            value, slope = legendre(count, x)
            x -= value / slope
        slope = legendre(count, x)[1]
        pairs.append(((1 + x) / 2, 1 / ((1 - x * x) * slope * slope)))
    return pairs


NODES = quadrature_nodes(QUADRATURE_POINTS)


def schlaefli_function(order: int, width: float) -> float:
    """Return Schlaefli's function F_m(a) as a float, for the angle a with cos 2a = 1 / (m - 1) - w.

    The volumes of regular spherical simplices are multiples of this function.

    Args:
        order: The number m, at least 1. For m = 1, the result is 1, whatever w is.
        width: The number w.
    """
    if order <= 2:
        return 1.0 if order == 1 else 2 / math.pi * math.asin(math.sqrt(width / 2))
    total = 0.0
    for node, weight in NODES:
        step = width * node * node
        x = 1 / (order - 1) - step
        height = node / math.sqrt(1 - x * x)
        if order > 3:
            inner = (order - 1) * step / ((order - 3) * (1 - 2 * x))
            height *= schlaefli_function(order - 2, inner)
        total += weight * height
    return 2 / math.pi * width * total


def simplex_bound_size(dim: int, cosine: float) -> float:
    """Return Coxeter and Boroczky's upper bound on the number of points in R^n whose maximum cosine is `cosine`."""
    below = 1 + (dim - 2) * cosine
    outer = schlaefli_function(dim - 1, 1 / ((dim - 2) * below))
    return 2 * outer / schlaefli_function(dim, (1 - cosine) / ((dim - 1) * below))


# The converse that a file states


@dataclass(frozen=True)
class Converse:
    """A lower bound on the maximum cosine of any K points in R^n.

    Attributes:
        value: The bound.
        theorem: Name of the theorem.
        proof: Text that says how the bound was proved; empty if the theorem is only cited.
    """

    value: Fraction
    theorem: str
    proof: str = ""


def stated_converse(code: CodeFile, found: MaxCosine) -> Converse:
    """Return the converse that the file states, after checking it by the theorem that the file names.

    The converse is a lower bound on the maximum cosine of any K points of R^n. VerificationError is raised if the
    theorem does not give the stated bound, or if the stated bound is above the maximum cosine of the points of the
    file. The result may differ slightly from the stated bound, so that it is proved in spite of rounding.

    Args:
        code: The code file.
        found: The maximum cosine of its points.
    """
    theorem = code.certificate["theorem"]
    stated = fraction_in(code.certificate["converse"])
    wrong = (
        f"the stated converse {shown(stated)} is not that of the theorem '{theorem}'"
    )
    slack = stated_tolerance(code, code.certificate["converse"], found)
    possible = stated <= found.high + slack
    ensure(possible, f"the stated converse {shown(stated)} is above the maximum cosine")
    few = code.count <= code.dim + 1
    if theorem == ("rankin_simplex" if few else "rankin_orthoplex"):
        value = Fraction(-1, code.count - 1) if few else ZERO
        ensure(stated == value, wrong)
        return Converse(value, theorem, "by its formula")
    if theorem == "levenshtein" and code.count > 2 * code.dim == 2:
        ensure(stated == 1, wrong)
        return Converse(stated, theorem, "as a line has two unit vectors")
    if theorem == "levenshtein" and code.count > 2 * code.dim:
        return levenshtein_converse(code, found, stated, wrong)
    if theorem == "coxeter_boroczky" and 3 <= code.dim <= 8 < 4 * code.count:
        ensure(stated < 1, wrong)
        ratio = simplex_bound_size(code.dim, float(stated)) / code.count
        rounding_error = 1e-11 + code.dim * 1e-14 / float(1 - stated)
        ensure(abs(ratio - 1) < rounding_error, wrong)
        excess = 2 * Fraction(rounding_error) * (1 - stated)  # at most, by rounding
        return Converse(stated - excess, theorem)
    above = cited_bound(code.count, code.dim, theorem) - stated
    ensure(0 <= above < Fraction(1, 10**14), wrong)
    return Converse(stated, theorem)


def levenshtein_converse(
    code: CodeFile, found: MaxCosine, stated: Fraction, wrong: str
) -> Converse:
    """Return Levenshtein's lower bound after checking that it equals the bound that the file states, up to rounding.

    - If n is 2, the stated bound must be near cos(2 pi / K). The result is a fraction just below cos(2 pi / K).
    - If n is above 2, Levenshtein's polynomial must prove that the maximum cosine of any K points is above a fraction
      just below the stated bound. The polynomial must not prove that it is above a fraction just above the stated
      bound. If the file states the bound as a text such as "1/3", the polynomial must also prove that no K points have
      a maximum cosine below the stated bound. The result is the maximum cosine of the points of the file if this number
      is known exactly and is near the stated bound, and if the polynomial proves that no K points have a lower maximum
      cosine. Otherwise, the result is the fraction just below the stated bound.

    Args:
        code: The code file.
        found: The maximum cosine of the points of the file.
        stated: The bound that the file states.
        wrong: Message of the VerificationError that is raised if a check fails.
    """
    ensure(stated < 1, wrong)
    below = Fraction(math.floor(stated * LEVENSHTEIN_SCALE) - 1, LEVENSHTEIN_SCALE)
    above = below + Fraction(3, LEVENSHTEIN_SCALE)
    if code.dim == 2:
        bound = circle_bound(code.count)
        ensure(below <= bound <= above, wrong)
        return Converse(bound, "levenshtein", "by the angles on a circle")
    if isinstance(code.certificate["converse"], str):
        sharp = levenshtein_is_sharp(code.count, code.dim, stated)
        ensure(sharp or levenshtein_excludes(code.count, code.dim, stated), wrong)
    is_bound = levenshtein_excludes(code.count, code.dim, below)
    ensure(is_bound and not levenshtein_excludes(code.count, code.dim, above), wrong)
    near = found.exact and below <= found.low <= above
    if near and levenshtein_is_sharp(code.count, code.dim, found.low):
        return Converse(found.low, "levenshtein", "by a polynomial that is sharp")
    return Converse(below, "levenshtein", "by a polynomial")


# ----------------------------------------------------------------------------------------------------------------------
# 4. Answer

ALL_PAIRS_POINTS = 20_000
"""Number of points above which a file may state an upper bound on the maximum cosine that no pair attains."""


@dataclass
class Verdict:
    """Result of the check of a file.

    Attributes:
        file: Path of the file.
        accepted: True if the file is accepted. False if it is rejected or was not checked.
        checked: True if the file is accepted or rejected. False if it could not be checked.
        reason: Reason why the file is rejected or was not checked; empty if it is accepted.
        proved: Statements that were proved.
        assumed: Statements of the file that this program does not check.
        numbers: The main numbers by name, such as "max_cosine_low" and "converse".
    """

    file: str
    accepted: bool = False
    checked: bool = True
    reason: str = ""
    proved: list[str] = field(default_factory=list[str])
    assumed: list[str] = field(default_factory=list[str])
    numbers: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def word(self) -> str:
        """The verdict as it is printed: 'accepted', 'REJECTED' or 'NOT CHECKED'."""
        if not self.checked:
            return "NOT CHECKED"
        return "accepted" if self.accepted else "REJECTED"

    @property
    def exit_code(self) -> int:
        """Exit code of the program: 0 if the file is accepted, 1 if it is rejected, and 2 if it was not checked."""
        if not self.checked:
            return 2
        return 0 if self.accepted else 1


def shown(value: Fraction) -> str:
    """Return a Fraction as text: exactly if its denominator is below 10^6, otherwise as a decimal of 12 digits."""
    return str(value) if value.denominator < 10**6 else f"{float(value):.12g}"


def tolerance(dim: int) -> Fraction:
    """Return the largest difference that is allowed between a float that a file states and the exact value.

    Args:
        dim: Dimension n of the points.
    """
    return 8 * rounding(dim)


def stated_tolerance(code: CodeFile, stated: str | float, found: MaxCosine) -> Fraction:
    """Return the largest difference that is allowed between a cosine in a file and the maximum cosine of its points.

    Args:
        code: The code file.
        stated: The cosine as it is in the header: a text such as "1/3", or a float.
        found: The maximum cosine of the points. If it is known exactly and `stated` is a text, the result is 0.
            Otherwise, the result allows for rounding errors.
    """
    if found.exact and isinstance(stated, str):
        return ZERO
    return tolerance(code.dim)


def check_cosine(code: CodeFile, found: MaxCosine) -> None:
    """Raise VerificationError unless the stated maximum cosine and the stated guarantee agree with the points.

    Up to rounding, the stated maximum cosine must be equal to the maximum cosine of the points. If the file has more
    than 20,000 points, it may also be larger; it is then an upper bound. The guarantee is an upper bound by a theorem.
    If the file states one, it must not be below the maximum cosine of the points, up to rounding.

    Args:
        code: The code file.
        found: The maximum cosine of its points.
    """
    stated = fraction_in(code.certificate["max_cosine"])
    slack = stated_tolerance(code, code.certificate["max_cosine"], found)
    agrees = found.low - slack <= stated <= found.high + slack
    only_bound = code.count > ALL_PAIRS_POINTS and stated > found.high
    what = f"{float(found.low):.12g} to {float(found.high):.12g}, not {shown(stated)}"
    ensure(agrees or only_bound, f"the maximum cosine is {what}")
    guarantee = code.certificate["guarantee"]
    if guarantee is not None:
        slack = stated_tolerance(code, guarantee, found)
        kept = fraction_in(guarantee) >= found.low - slack
        ensure(kept, "the maximum cosine is above the guarantee")


def fill_in(verdict: Verdict, code: CodeFile, proof: Path | None) -> None:
    """Check the content of a code file, and write the results into a verdict.

    Args:
        verdict: Object for the results.
        code: The code file.
        proof: Path of a proof file, which is checked, too. None if there is none.
    """
    stated_proof = None if proof is None else read_proof(proof, code)
    structure = code.description["structure"]
    ensure(structure in STRUCTURES, "the structure is unknown")
    found = STRUCTURES[structure](code)
    check_cosine(code, found)
    best = stated_converse(code, found)
    converses = [best]
    if stated_proof is not None:
        value = checked_proof(str(proof), stated_proof, code)
        converses.append(Converse(value, "linear programming", "by a given polynomial"))
        best = max(converses, key=lambda converse: converse.value)
    range_text = f"exactly {found.low}"
    if not found.exact:
        middle = float((found.low + found.high) / 2)
        range_text = f"{middle:.15g} to within {float(found.high - found.low) / 2:.1e}"
    verdict.proved += [
        "the content matches its digest",
        f"{code.count} points in {code.dim} dimensions: {found.points}",
        f"their squared norms are 1 to within {float(found.unit):.1e}",
        f"their maximum cosine is {range_text}",
    ]
    for converse in converses:
        sentence = f"no {code.count} points have a maximum cosine below {shown(converse.value)}"
        listed = verdict.proved if converse.proof else verdict.assumed
        listed.append(f"{sentence}: {converse.theorem} {converse.proof or '(cited)'}")
    optimal = found.high <= best.value
    if optimal:
        listed = verdict.proved if best.proof else verdict.assumed
        listed.append("no arrangement of as many points is better")
    else:
        listed = verdict.proved if best.proof else verdict.assumed
        gap = float(found.high - best.value)
        listed.append(
            f"no arrangement of as many points is better by more than {gap:.2g}"
        )
    verdict.assumed += assumptions(code, found)
    verdict.numbers = {
        "num_classes": code.count,
        "dim": code.dim,
        "structure": structure,
        "max_cosine_low": str(found.low),
        "max_cosine_high": str(found.high),
        "unit_error": str(found.unit),
        "converse": str(best.value),
        "theorem": best.theorem,
        "converse_proved": bool(best.proof),
        "optimal": optimal,
    }


def assumptions(code: CodeFile, found: MaxCosine) -> list[str]:
    """Return the statements of a file that this program does not check.

    Args:
        code: The code file.
        found: The maximum cosine of its points.
    """
    listed = ["how the points were made: description and provenance"]
    stated = code.certificate["max_cosine"]
    if isinstance(stated, str) and not found.exact:
        exactly = str(fraction_in(stated))
        listed.append(f"before rounding, their maximum cosine was exactly {exactly}")
    if code.certificate["guarantee"] is not None:
        listed.append("the guarantee is a theorem on the construction")
    records = [code.description, *code.description.get("parts", [])]
    steps = [record.get("cosine_step") for record in records]
    for step in sorted({fraction_in(step) for step in steps if step is not None}):
        listed.append(f"cosines of points with the step {step} are 1 - j * {step}")
    if "shortened" in code.description:
        listed.append("the codewords have the stated indices in their nested codes")
    if any(record["structure"] == "lattice" for record in records):
        listed.append("differences of the points are vectors of the stated lattice")
    return listed


def verify(
    path: Path, proof: Path | None = None, limit: float = MOST_PRODUCTS
) -> Verdict:
    """Check a code file, that is, prove what the file states about its points.

    Args:
        path: The code file.
        proof: A JSON file that `protosphere certify FILE --proof PROOF.json` has written. The polynomial in it proves a
            converse (a lower bound on the maximum cosine of any K points in R^n). None if there is no such file.
        limit: How many products of two numbers one step of the check may compute at most. `math.inf` means that time
            and memory are not limited.

    Returns:
        The verdict. Everything that an accepted file states is proved, except for the statements in `assumed`. A file
        that was not checked is neither accepted nor rejected.
    """
    verdict = Verdict(str(path))
    try:
        fill_in(verdict, read_code(path, limit), proof)
        verdict.accepted = True
    except VerificationError as error:
        verdict.reason = str(error)
    except NotCheckedError as error:
        verdict.checked = False
        verdict.reason = str(error)
    except OSError as error:
        verdict.checked = False
        reason = error.strerror or type(error).__name__
        verdict.reason = f"cannot read the file: {reason}"
    except MemoryError:
        verdict.checked = False
        verdict.reason = "the memory does not suffice"
    except Exception as error:  # a malformed file: nothing has been accepted
        verdict.reason = f"the file is malformed ({type(error).__name__})"
    return verdict


def escaped(text: str) -> str:
    """Return `text` with every character that could change what a terminal shows replaced by its escape sequence."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def show(verdict: Verdict, *, json_output: bool = False) -> None:
    """Print a verdict.

    Args:
        verdict: The verdict.
        json_output: If True, it is printed as a JSON object. If False, it is printed as text.
    """
    lines = [f"{verdict.file}: {verdict.word}"]
    if verdict.accepted:
        lines += ["  proved", *(f"    {sentence}" for sentence in verdict.proved)]
        lines += ["  assumed", *(f"    {sentence}" for sentence in verdict.assumed)]
    else:
        lines += [f"  {verdict.reason}"]
    text = "\n".join(map(escaped, lines))
    if json_output:
        text = json.dumps(vars(verdict), indent=2)
    sys.stdout.write(text + "\n")


def main() -> int:
    """Check the code file that the command line names, print the verdict, and return its exit code."""
    parser = argparse.ArgumentParser(
        description="Check a code file of protosphere.",
        epilog="Exit codes: 0 accepted, 1 rejected, 2 not checked (above the limit, or unusable files or arguments).",
    )
    parser.add_argument("file", type=Path, help="code file (.safetensors)")
    parser.add_argument(
        "--proof",
        type=Path,
        help="JSON file that proves a lower bound on any maximum cosine",
    )
    parser.add_argument(
        "--no-limit",
        action="store_true",
        help="compare all pairs, without a limit on time and memory",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    limit = math.inf if options.no_limit else MOST_PRODUCTS
    verdict = verify(options.file, options.proof, limit)
    show(verdict, json_output=options.json)
    return verdict.exit_code


if __name__ == "__main__":
    sys.exit(main())
