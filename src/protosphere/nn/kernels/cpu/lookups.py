"""Compiled loops that sum rows of a lookup table; a row has LANES numbers, one for each of LANES vectors (see `simd`).

A table has one row for each value of each part. The rows of part p begin at row offsets[p]. The score of class k is
the sum over p of the rows offsets[p] + values[k, p]. Parts from `plain` on hold codewords of quantized points: the
sum of their rows is multiplied by a factor of the class. The compiler does not vectorize access to rows at looked-up
positions, so vector instructions are written explicitly: this is 4 times as fast.
"""
# numba ships no types:
# pyright: reportMissingTypeStubs=false, reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownParameterType=false, reportUnknownArgumentType=false, reportUntypedFunctionDecorator=false

from typing import Any, TypeAlias

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from protosphere.compiled.decorators import compiled_exactly
from protosphere.nn.kernels.cpu.simd import LANES, ONE, Block, U, W, exponentials

TILE = 256
"""Number of classes in a tile: its scores, and the table of a part with 256 values, stay in the L1 cache."""

LEEWAY = np.float32(30)
"""Largest excess of scores over the shift of exponentials before sums are rescaled; exp(30) does not overflow."""

Values: TypeAlias = NDArray[np.unsignedinteger[Any] | np.signedinteger[Any]]
Offsets: TypeAlias = NDArray[np.int64]
Factors: TypeAlias = NDArray[np.float32]

_instruction: Any = (
    intrinsic  # numba passes the first argument, `typing`; callers do not
)

_ROW = ir.VectorType(ir.FloatType(), LANES)


def row_at(context: Any, builder: Any, kind: Any, array: Any, start: Any) -> Any:
    """Return the pointer to the row of a float32 array that begins at index `start`."""
    data = context.make_array(kind)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [start]), _ROW.as_pointer())


def _sum(builder: Any, first: Any, second: Any) -> Any:
    return builder.fadd(first, second)


def _maximum(builder: Any, first: Any, second: Any) -> Any:
    is_larger = builder.fcmp_ordered(">", second, first)
    return builder.select(is_larger, second, first)


def _combined(combine: Any, x: Any, y: Any, num_rows: int) -> Any:
    """Return the signature and the code generator of an instruction that combines a row of x with rows of y, in place.

    Args:
        combine: Function from a builder and two rows to a row.
        x: Type of x.
        y: Type of y.
        num_rows: Number of rows of y, 1 or a power of 2.
    """
    signature = types.void(x, types.uint64, y, *[types.uint64] * num_rows)

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        target = row_at(context, builder, signature.args[0], given[0], given[1])
        rows: list[Any] = []
        for start in given[3:]:
            source = row_at(context, builder, signature.args[2], given[2], start)
            rows.append(builder.load(source, align=4))
        while len(rows) > 1:  # in pairs, which do not wait for each other
            rows = [
                combine(builder, rows[i], rows[i + 1]) for i in range(0, len(rows), 2)
            ]
        total = combine(builder, builder.load(target, align=4), rows[0])
        builder.store(total, target, align=4)
        return context.get_dummy_value()

    return signature, generate


@_instruction
def add_row(typing: Any, x: Any, i: Any, y: Any, a: Any) -> Any:
    """Compute x[i : i + LANES] += y[a : a + LANES]."""
    del typing, i, a
    return _combined(_sum, x, y, 1)


@_instruction
def add_four_rows(
    typing: Any, x: Any, i: Any, y: Any, a: Any, b: Any, c: Any, d: Any
) -> Any:
    """Add the four rows of y that begin at a, b, c and d to x[i : i + LANES]."""
    del typing, i, a, b, c, d
    return _combined(_sum, x, y, 4)


@_instruction
def raise_row(typing: Any, x: Any, i: Any, y: Any, a: Any) -> Any:
    """Compute x[i : i + LANES] = max(x[i : i + LANES], y[a : a + LANES])."""
    del typing, i, a
    return _combined(_maximum, x, y, 1)


@_instruction
def raise_to_four_rows(
    typing: Any, x: Any, i: Any, y: Any, a: Any, b: Any, c: Any, d: Any
) -> Any:
    """Compute x[i : i + LANES] = its maximum with the four rows of y that begin at a, b, c and d."""
    del typing, i, a, b, c, d
    return _combined(_maximum, x, y, 4)


@compiled_exactly
def sum_rows(
    table: Block,
    values: Values,
    offsets: Offsets,
    factors: Factors,
    plain: int,
    first: int,
    count: int,
    x: Block,
) -> None:
    """Write the scores of `count` classes: each class's sum of looked-up rows.

    Args:
        table: Rows of all parts.
        values: K x P values.
        offsets: First row of each part.
        factors: Factor of the codewords of each class; empty without codewords.
        plain: Number of parts without a factor.
        first: Index of the first class.
        count: Number of classes.
        x: Rows of scores, the first `count` of which are overwritten.
    """
    x[: count * LANES] = 0
    if len(factors):
        add_looked_up_rows(table, values, offsets, plain, len(offsets), first, count, x)
        multiply_rows(x, factors, first, count)
    add_looked_up_rows(table, values, offsets, 0, plain, first, count, x)


@compiled_exactly
def add_looked_up_rows(
    table: Block,
    values: Values,
    offsets: Offsets,
    start: int,
    stop: int,
    first: int,
    count: int,
    x: Block,
) -> None:
    """Add the looked-up rows of parts `start` to `stop - 1` to the rows of `count` classes.

    Args:
        table: Rows of all parts.
        values: K x P values.
        offsets: First row of each part.
        start: First part.
        stop: One past the last part.
        first: Index of the first class.
        count: Number of classes.
        x: A row for each class, updated in place.
    """
    in_fours = U(stop - (stop - start) % 4)
    for p in range(U(start), in_fours, U(4)):
        q = p + U(1)
        r = p + U(2)
        s = p + U(3)
        for k in range(U(count)):
            own = values[U(first) + k]
            a = U(offsets[p] + own[p]) * W
            b = U(offsets[q] + own[q]) * W
            c = U(offsets[r] + own[r]) * W
            d = U(offsets[s] + own[s]) * W
            add_four_rows(x, k * W, table, a, b, c, d)
    for p in range(in_fours, U(stop)):
        for k in range(U(count)):
            a = U(offsets[p] + values[U(first) + k, p]) * W
            add_row(x, k * W, table, a)


@compiled_exactly
def multiply_rows(x: Block, factors: Factors, first: int, count: int) -> None:
    """Multiply the row of each class by the factor of the class.

    Args:
        x: A row for each class, updated in place.
        factors: Factor of each class.
        first: Index of the first class.
        count: Number of classes.
    """
    for k in range(U(count)):
        factor = factors[U(first) + k]
        for w in range(W):
            x[k * W + w] *= factor


@compiled_exactly
def scatter_rows(
    x: Block,
    values: Values,
    offsets: Offsets,
    factors: Factors,
    plain: int,
    first: int,
    count: int,
    table: Block,
) -> None:
    """Add each class's row of x to the class's rows of the table: the transpose of `sum_rows`.

    Args:
        x: A row for each class; overwritten if there are factors.
        values: K x P values.
        offsets: First row of each part.
        factors: Factor of the codewords of each class; empty without codewords.
        plain: Number of parts without a factor.
        first: Index of the first class.
        count: Number of classes.
        table: Rows of all parts, updated in place.
    """
    for p in range(U(plain)):
        for k in range(U(count)):
            a = U(offsets[p] + values[U(first) + k, p]) * W
            add_row(table, a, x, k * W)
    if len(factors) == 0:
        return
    multiply_rows(x, factors, first, count)
    for p in range(U(plain), U(len(offsets))):
        for k in range(U(count)):
            a = U(offsets[p] + values[U(first) + k, p]) * W
            add_row(table, a, x, k * W)


@compiled_exactly
def write_factors(
    codewords: Block,
    squares: NDArray[np.float64],
    values: Values,
    offsets: Offsets,
    plain: int,
    factors: Factors,
) -> None:
    """Write the factor of each class: sqrt(1 - squared norms of its values) / norm of the sum of its codewords.

    Args:
        codewords: Codewords of all codebooks, one per row.
        squares: Squared norms of the values of all parts.
        values: K x P values.
        offsets: First row of each part; those of the codebooks count from the first part.
        plain: Number of parts without a factor.
        factors: K factors, overwritten.
    """
    dim = codewords.shape[1]
    whole = U(dim - dim % 16)
    total = np.empty(dim, np.float32)
    lanes = np.empty(16, np.float32)
    for k in range(U(len(values))):
        rest = 1.0
        for p in range(U(plain)):
            rest -= squares[U(offsets[p] + values[k, p])]
        total[:] = 0
        for p in range(U(plain), U(len(offsets))):
            row = codewords[U(offsets[p] - offsets[plain] + values[k, p])]
            for i in range(U(dim)):
                total[i] += row[i]
        lanes[:] = 0
        for i in range(U(0), whole, U(16)):
            for w in range(U(16)):
                lanes[w] += total[i + w] * total[i + w]
        square = 0.0
        for w in range(U(16)):
            square += lanes[w]
        for i in range(whole, U(dim)):
            square += total[i] * total[i]
        factors[k] = np.sqrt(rest / square)


@compiled_exactly
def write_scores(
    tables: Block,
    values: Values,
    offsets: Offsets,
    factors: Factors,
    plain: int,
    scores: Block,
) -> None:
    """Write the scores of all classes for all vectors, one vector per row.

    Args:
        tables: Lookup tables, (groups, rows * LANES).
        values: K x P values.
        offsets: First row of each part.
        factors: Factor of the codewords of each class; empty without codewords.
        plain: Number of parts without a factor.
        scores: B x K, overwritten; the last group may have fewer rows than lanes.
    """
    x = np.empty(TILE * LANES, np.float32)
    num_classes = len(values)
    for g in range(len(tables)):
        lanes = min(LANES, len(scores) - g * LANES)
        for first in range(0, num_classes, TILE):
            count = min(TILE, num_classes - first)
            sum_rows(tables[g], values, offsets, factors, plain, first, count, x)
            for lane in range(lanes):
                row = scores[g * LANES + lane]
                for k in range(count):
                    row[first + k] = x[k * LANES + lane]


@compiled_exactly
def add_weights(
    weights: Block,
    values: Values,
    offsets: Offsets,
    factors: Factors,
    plain: int,
    tables: Block,
) -> None:
    """Add the weights of classes to the table rows of their values: the transpose of `write_scores`.

    Args:
        weights: B x K, one vector per row.
        values: K x P values.
        offsets: First row of each part.
        factors: Factor of the codewords of each class; empty without codewords.
        plain: Number of parts without a factor.
        tables: Sums, (groups, rows * LANES), updated in place.
    """
    x = np.zeros(TILE * LANES, np.float32)
    num_classes = len(values)
    for g in range(len(tables)):
        lanes = min(LANES, len(weights) - g * LANES)
        x[:] = 0
        for first in range(0, num_classes, TILE):
            count = min(TILE, num_classes - first)
            for lane in range(lanes):
                row = weights[g * LANES + lane]
                for k in range(count):
                    x[k * LANES + lane] = row[first + k]
            scatter_rows(x, values, offsets, factors, plain, first, count, tables[g])


@compiled_exactly
def write_highest_lookups(
    tables: Block,
    values: Values,
    offsets: Offsets,
    factors: Factors,
    plain: int,
    highest: Block,
) -> None:
    """Write the largest score of each tile of classes.

    Args:
        tables: Lookup tables, (groups, rows * LANES).
        values: K x P values.
        offsets: First row of each part.
        factors: Factor of the codewords of each class; empty without codewords.
        plain: Number of parts without a factor.
        highest: (groups, tiles, LANES), overwritten.
    """
    x = np.empty(TILE * LANES, np.float32)
    num_classes = len(values)
    for g in range(len(tables)):
        for tile in range(highest.shape[1]):
            first = tile * TILE
            count = min(TILE, num_classes - first)
            sum_rows(tables[g], values, offsets, factors, plain, first, count, x)
            write_peak(x, count, highest[g, tile])


@compiled_exactly
def write_peak(x: Block, count: int, peak: Block) -> None:
    """Write the maximum of the first `count` rows of x for each lane into `peak`.

    Args:
        x: Block of rows.
        count: Number of rows.
        peak: LANES values, overwritten.
    """
    peak[:] = -np.inf
    in_fours = U(count - count % 4) * W
    for i in range(U(0), in_fours, U(4) * W):
        raise_to_four_rows(peak, U(0), x, i, i + W, i + W + W, i + W + W + W)
    for i in range(in_fours, U(count) * W, W):
        raise_row(peak, U(0), x, i)


@compiled_exactly
def write_total(x: Block, count: int, total: Block) -> None:
    """Write the sum of the first `count` rows of x for each lane into `total`.

    Args:
        x: Block of rows.
        count: Number of rows.
        total: LANES values, overwritten.
    """
    total[:] = 0
    in_fours = U(count - count % 4) * W
    for i in range(U(0), in_fours, U(4) * W):
        add_four_rows(total, U(0), x, i, i + W, i + W + W, i + W + W + W)
    for i in range(in_fours, U(count) * W, W):
        add_row(total, U(0), x, i)


@compiled_exactly
def write_lookup_sums(
    tables: Block,
    values: Values,
    offsets: Offsets,
    factors: Factors,
    plain: int,
    shifts: Block,
    sums: NDArray[np.float64],
    weights: Block,
) -> None:
    """Write sums of exp(score - shift) over all classes, and over the classes with each value of each part.

    Args:
        tables: Lookup tables, (groups, rows * LANES).
        values: K x P values.
        offsets: First row of each part.
        factors: Factor of the codewords of each class; empty without codewords.
        plain: Number of parts without a factor.
        shifts: Shifts of the exponentials, (groups, LANES), overwritten.
        sums: Sums over all classes, (groups, LANES), overwritten.
        weights: Sums for each value of each part, shaped like the tables, initially zero; empty to skip them.
    """
    x = np.empty(TILE * LANES, np.float32)
    y = np.empty(TILE * LANES, np.float32)
    bits = np.empty(TILE * LANES, np.int32)
    peak = np.empty(LANES, np.float32)
    total = np.empty(LANES, np.float32)
    num_classes = len(values)
    for g in range(len(tables)):
        shifts[g] = -np.inf
        sums[g] = 0
        for first in range(0, num_classes, TILE):
            count = min(TILE, num_classes - first)
            sum_rows(tables[g], values, offsets, factors, plain, first, count, x)
            write_peak(x, count, peak)
            if (peak > shifts[g] + LEEWAY).any():
                shrinks = raise_shift(peak, shifts[g], sums[g])
                if len(weights) and first:
                    scale_table(weights[g], shrinks)
            exponentials(x, ONE, shifts[g], y, bits, count)
            write_total(y, count, total)
            sums[g] += total
            if len(weights):
                scatter_rows(
                    y, values, offsets, factors, plain, first, count, weights[g]
                )


@compiled_exactly
def raise_shift(peak: Block, shift: Block, sums: NDArray[np.float64]) -> Block:
    """Raise the shift of each lane to its peak, rescale the sums, and return the factor of each lane.

    A lane whose peak is not above its shift has factor 1.

    Args:
        peak: LANES peaks.
        shift: LANES shifts, updated in place.
        sums: LANES sums, updated in place.
    """
    factors = np.ones(LANES, np.float32)
    for w in range(LANES):
        if peak[w] > shift[w]:
            factors[w] = np.exp(shift[w] - peak[w])
            sums[w] *= factors[w]
            shift[w] = peak[w]
    return factors


@compiled_exactly
def scale_table(table: Block, factors: Block) -> None:
    """Multiply every row of a table by the factors, one per lane.

    Args:
        table: Rows, multiplied in place.
        factors: LANES factors.
    """
    for i in range(U(len(table)) // W):
        for w in range(W):
            table[i * W + w] *= factors[w]
