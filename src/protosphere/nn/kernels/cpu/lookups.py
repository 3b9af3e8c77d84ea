"""Compiled loops that compute dot products with the points of classes as sums of rows of a lookup table.

A class has one value of each part, such as a color and a shape. A codebook is a list of vectors, its codewords. If
classes are quantized, a class also has one codeword of each codebook. The table has a row for each value of each part
and for each codeword of each codebook. The table rows of a class are the rows of its values and of its codewords. LANES
= 16 vectors are processed at a time, and a row has LANES numbers: entry w is the dot product of vector w with the point
of the value, or with the codeword. A tile is a range of 256 consecutive classes whose scores are computed together.

A score is the dot product of a vector with the point of a class. The row of the scores of class k with LANES vectors is
the sum of the table rows of its values, plus factors[k] times the sum of the table rows of its codewords.

The compiler does not vectorize access to rows at looked-up positions. Therefore such accesses are written as
instructions, which makes the loops 4 times as fast. An instruction is a function with an argument `typing` that returns
a generator of LLVM code. Compiled functions call it without `typing`, which numba adds. The arguments x and y of an
instruction are one-dimensional float32 arrays, and i, a, b, c and d are indices of their entries.
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
"""Number of classes in a tile. A tile consists of consecutive classes, whose scores are computed together.

The scores of a tile with LANES vectors and a lookup table of 256 rows fit in the L1 cache.
"""

LEEWAY = np.float32(30)
"""Largest difference of a score and the shift of its vector for which the shift need not be raised.

The shift is a number that is subtracted from all scores of a vector before exp. exp(30) does not overflow in float32.
"""

Values: TypeAlias = NDArray[np.unsignedinteger[Any] | np.signedinteger[Any]]
Offsets: TypeAlias = NDArray[np.int64]
Factors: TypeAlias = NDArray[np.float32]

_instruction: Any = (
    intrinsic  # numba passes the first argument, `typing`; callers do not
)

_ROW = ir.VectorType(ir.FloatType(), LANES)


def row_at(context: Any, builder: Any, kind: Any, array: Any, start: Any) -> Any:
    """Return an LLVM pointer to LANES consecutive numbers of a one-dimensional float32 array.

    Args:
        context: The target context of numba.
        builder: The LLVM builder.
        kind: The numba type of the array.
        array: The LLVM value of the array.
        start: The LLVM value of the index of the first number.
    """
    data = context.make_array(kind)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [start]), _ROW.as_pointer())


def _sum(builder: Any, first: Any, second: Any) -> Any:
    return builder.fadd(first, second)


def _maximum(builder: Any, first: Any, second: Any) -> Any:
    is_larger = builder.fcmp_ordered(">", second, first)
    return builder.select(is_larger, second, first)


def _combined(combine: Any, x: Any, y: Any, num_rows: int) -> Any:
    # signature and code generator of an instruction that replaces a row of x by a combination of it with rows of y
    # combine: `_sum` or `_maximum`; x, y: numba types of arrays; num_rows: 1, 2 or 4 rows of y
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
    """Add y[a : a + LANES] to x[i : i + LANES].

    Compiled functions call this instruction without the argument `typing`.
    """
    del typing, i, a
    return _combined(_sum, x, y, 1)


@_instruction
def add_two_rows(typing: Any, x: Any, i: Any, y: Any, a: Any, b: Any) -> Any:
    """Add y[a : a + LANES] and y[b : b + LANES] to x[i : i + LANES].

    Compiled functions call this instruction without the argument `typing`.
    """
    del typing, i, a, b
    return _combined(_sum, x, y, 2)


@_instruction
def add_four_rows(
    typing: Any, x: Any, i: Any, y: Any, a: Any, b: Any, c: Any, d: Any
) -> Any:
    """Add four rows of y to x[i : i + LANES].

    A row has LANES numbers. The four rows begin at the indices a, b, c and d of y. Compiled functions call this
    instruction without the argument `typing`.
    """
    del typing, i, a, b, c, d
    return _combined(_sum, x, y, 4)


@_instruction
def raise_row(typing: Any, x: Any, i: Any, y: Any, a: Any) -> Any:
    """Replace x[i : i + LANES] by the entrywise maximum of itself and y[a : a + LANES].

    Compiled functions call this instruction without the argument `typing`.
    """
    del typing, i, a
    return _combined(_maximum, x, y, 1)


@_instruction
def raise_to_four_rows(
    typing: Any, x: Any, i: Any, y: Any, a: Any, b: Any, c: Any, d: Any
) -> Any:
    """Replace x[i : i + LANES] by the entrywise maximum of itself and four rows of y.

    A row has LANES numbers. The four rows begin at the indices a, b, c and d of y. Compiled functions call this
    instruction without the argument `typing`.
    """
    del typing, i, a, b, c, d
    return _combined(_maximum, x, y, 4)


@_instruction
def multiply_row(typing: Any, x: Any, i: Any, factor: Any) -> Any:
    """Multiply each entry of x[i : i + LANES] by the number `factor`.

    Compiled functions call this instruction without the argument `typing`.
    """
    del typing, i

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        target = row_at(context, builder, signature.args[0], given[0], given[1])
        factors = ir.Constant(_ROW, ir.Undefined)
        for lane in range(LANES):
            position = ir.Constant(ir.IntType(32), lane)
            factors = builder.insert_element(factors, given[2], position)
        product = builder.fmul(builder.load(target, align=4), factors)
        builder.store(product, target, align=4)
        return context.get_dummy_value()

    return types.void(x, types.uint64, factor), generate


@compiled_exactly
def sum_rows(
    table: Block,
    values: Values,
    offsets: Offsets,
    factors: Factors,
    num_parts: int,
    first: int,
    count: int,
    x: Block,
) -> None:
    """Write the scores of `count` consecutive classes with LANES vectors into x.

    A score is the dot product of a vector with the point of a class.

    Args:
        table: Lookup table, a one-dimensional array of rows of LANES numbers.
        values: Integer matrix with one row per class. A row has, for each part, the index of the value among the values
            of the part, and then, for each codebook, the index of the codeword in the codebook.
        offsets: One integer per column of `values`. The table rows of class k are the rows offsets[j] + values[k, j]
            for all columns j.
        factors: Factor of each class, by which the sum of the table rows of its codewords is multiplied. If there are
            no codebooks, the array is empty.
        num_parts: Number of parts. The first `num_parts` columns of `values` belong to parts, the others to codebooks.
        first: Index of the first class.
        count: Number of classes.
        x: One-dimensional array of rows of LANES scores. The first `count` rows, one per class, are overwritten.
    """
    x[: count * LANES] = 0
    if len(factors):
        add_looked_up_rows(
            table, values, offsets, num_parts, len(offsets), first, count, x
        )
        multiply_rows(x, factors, first, count)
    add_looked_up_rows(table, values, offsets, 0, num_parts, first, count, x)


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
    """Add table rows of `count` consecutive classes to the rows of these classes in x.

    Only the columns `start` to `stop` - 1 of `values` are processed. For each class and each of these columns, one
    table row is added.

    Args:
        table: Lookup table, a one-dimensional array of rows of LANES numbers.
        values: Integer matrix with one row per class. A row has, for each part, the index of the value among the values
            of the part, and then, for each codebook, the index of the codeword in the codebook.
        offsets: One integer per column of `values`. The table rows of class k are the rows offsets[j] + values[k, j]
            for all columns j.
        start: First column of `values` to process.
        stop: One past the last column of `values` to process.
        first: Index of the first class.
        count: Number of classes.
        x: One-dimensional array with a row of LANES numbers for each of the `count` classes; updated in place.
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
    in_twos = U(stop - (stop - start) % 2)
    for p in range(in_fours, in_twos, U(2)):
        q = p + U(1)
        for k in range(U(count)):
            own = values[U(first) + k]
            a = U(offsets[p] + own[p]) * W
            b = U(offsets[q] + own[q]) * W
            add_two_rows(x, k * W, table, a, b)
    for p in range(in_twos, U(stop)):
        for k in range(U(count)):
            a = U(offsets[p] + values[U(first) + k, p]) * W
            add_row(x, k * W, table, a)


@compiled_exactly
def multiply_rows(x: Block, factors: Factors, first: int, count: int) -> None:
    """Multiply the rows of `count` consecutive classes by the factors of the classes.

    Args:
        x: One-dimensional array with a row of LANES numbers for each of the `count` classes; updated in place.
        factors: Factors of all K classes, one number per class.
        first: Index of the first class.
        count: Number of classes.
    """
    for k in range(U(count)):
        multiply_row(x, k * W, factors[U(first) + k])


@compiled_exactly
def scatter_rows(
    x: Block,
    values: Values,
    offsets: Offsets,
    factors: Factors,
    num_parts: int,
    first: int,
    count: int,
    table: Block,
) -> None:
    """Add the row of x of each of `count` consecutive classes to all table rows of the class.

    A row of x is added to the table rows of values as it is. It is multiplied by the factor of the class before it is
    added to the table rows of codewords. The map from x to the added rows is the transpose of the linear map that
    `sum_rows` computes.

    Args:
        x: One-dimensional array with a row of LANES numbers for each of the `count` classes. If there are codebooks,
            the rows are multiplied in place.
        values: Integer matrix with one row per class. A row has, for each part, the index of the value among the values
            of the part, and then, for each codebook, the index of the codeword in the codebook.
        offsets: One integer per column of `values`. The table rows of class k are the rows offsets[j] + values[k, j]
            for all columns j.
        factors: Factor of each class, by which numbers are multiplied before they are added to table rows of codewords.
            If there are no codebooks, the array is empty.
        num_parts: Number of parts. The first `num_parts` columns of `values` belong to parts, the others to codebooks.
        first: Index of the first class.
        count: Number of classes.
        table: Table, a one-dimensional array of rows of LANES numbers; updated in place.
    """
    for p in range(U(num_parts)):
        for k in range(U(count)):
            a = U(offsets[p] + values[U(first) + k, p]) * W
            add_row(table, a, x, k * W)
    if len(factors) == 0:
        return
    multiply_rows(x, factors, first, count)
    for p in range(U(num_parts), U(len(offsets))):
        for k in range(U(count)):
            a = U(offsets[p] + values[U(first) + k, p]) * W
            add_row(table, a, x, k * W)


@compiled_exactly
def write_scores(
    tables: Block,
    values: Values,
    offsets: Offsets,
    factors: Factors,
    num_parts: int,
    scores: Block,
) -> None:
    """Write the scores of all K classes with B vectors.

    A score is the dot product of a vector with the point of a class.

    Args:
        tables: (groups, rows * LANES) array with one lookup table for each group of LANES vectors.
        values: Integer matrix with one row per class. A row has, for each part, the index of the value among the values
            of the part, and then, for each codebook, the index of the codeword in the codebook.
        offsets: One integer per column of `values`. The table rows of class k are the rows offsets[j] + values[k, j]
            for all columns j.
        factors: Factor of each class, by which the sum of the table rows of its codewords is multiplied. If there are
            no codebooks, the array is empty.
        num_parts: Number of parts. The first `num_parts` columns of `values` belong to parts, the others to codebooks.
        scores: B x K array for the scores, overwritten. If B is not a multiple of LANES, the last group has fewer
            vectors, and its other lanes are ignored.
    """
    x = np.empty(TILE * LANES, np.float32)
    num_classes = len(values)
    for g in range(len(tables)):
        lanes = min(LANES, len(scores) - g * LANES)
        for first in range(0, num_classes, TILE):
            count = min(TILE, num_classes - first)
            sum_rows(tables[g], values, offsets, factors, num_parts, first, count, x)
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
    num_parts: int,
    tables: Block,
) -> None:
    """For each of B vectors, add the weight of each class to all table rows of the class.

    Each vector has its own number in every table row, and its own weight for every class. A weight is added to the
    table rows of values as it is. It is multiplied by the factor of the class before it is added to the table rows of
    codewords. The map from the weights to the added numbers is the transpose of the linear map that `write_scores`
    computes.

    Args:
        weights: B x K weights, one row for each vector.
        values: Integer matrix with one row per class. A row has, for each part, the index of the value among the values
            of the part, and then, for each codebook, the index of the codeword in the codebook.
        offsets: One integer per column of `values`. The table rows of class k are the rows offsets[j] + values[k, j]
            for all columns j.
        factors: Factor of each class, by which numbers are multiplied before they are added to table rows of codewords.
            If there are no codebooks, the array is empty.
        num_parts: Number of parts. The first `num_parts` columns of `values` belong to parts, the others to codebooks.
        tables: (groups, rows * LANES) array with one table for each group of LANES vectors; updated in place.
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
            scatter_rows(
                x, values, offsets, factors, num_parts, first, count, tables[g]
            )


@compiled_exactly
def write_highest_lookups(
    tables: Block,
    values: Values,
    offsets: Offsets,
    factors: Factors,
    num_parts: int,
    highest: Block,
) -> None:
    """Write, for each vector, the largest score in each tile of 256 (`TILE`) consecutive classes.

    A score is the dot product of a vector with the point of a class.

    Args:
        tables: (groups, rows * LANES) array with one lookup table for each group of LANES vectors.
        values: Integer matrix with one row per class. A row has, for each part, the index of the value among the values
            of the part, and then, for each codebook, the index of the codeword in the codebook.
        offsets: One integer per column of `values`. The table rows of class k are the rows offsets[j] + values[k, j]
            for all columns j.
        factors: Factor of each class, by which the sum of the table rows of its codewords is multiplied. If there are
            no codebooks, the array is empty.
        num_parts: Number of parts. The first `num_parts` columns of `values` belong to parts, the others to codebooks.
        highest: (groups, tiles, LANES) array for the largest scores, overwritten. Entry (g, t, w) is for vector w of
            group g and tile t.
    """
    x = np.empty(TILE * LANES, np.float32)
    num_classes = len(values)
    for g in range(len(tables)):
        for tile in range(highest.shape[1]):
            first = tile * TILE
            count = min(TILE, num_classes - first)
            sum_rows(tables[g], values, offsets, factors, num_parts, first, count, x)
            write_peak(x, count, highest[g, tile])


@compiled_exactly
def write_peak(x: Block, count: int, peak: Block) -> None:
    """Write the entrywise maximum of the first `count` rows of x into `peak`.

    Args:
        x: One-dimensional array of rows of LANES numbers.
        count: Number of rows.
        peak: Array for the LANES maxima, overwritten.
    """
    peak[:] = -np.inf
    in_fours = U(count - count % 4) * W
    for i in range(U(0), in_fours, U(4) * W):
        raise_to_four_rows(peak, U(0), x, i, i + W, i + W + W, i + W + W + W)
    for i in range(in_fours, U(count) * W, W):
        raise_row(peak, U(0), x, i)


@compiled_exactly
def write_total(x: Block, count: int, total: Block) -> None:
    """Write the entrywise sum of the first `count` rows of x into `total`.

    Args:
        x: One-dimensional array of rows of LANES numbers.
        count: Number of rows.
        total: Array for the LANES sums, overwritten.
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
    num_parts: int,
    shifts: Block,
    sums: NDArray[np.float64],
    weights: Block,
) -> None:
    """Write, for each vector, the sum of exp(score - shift) over all classes.

    A score is the dot product of a vector with the point of a class. The function chooses one number per vector, the
    shift, and writes it into `shifts`. For all classes, score - shift is at most 30 (`LEEWAY`), so the exponentials do
    not overflow. If `weights` is not empty, the function also adds exp(score - shift) of each class to all table rows
    of the class in `weights`. For the table rows of codewords, the number is multiplied by the factor of the class
    first.

    Args:
        tables: (groups, rows * LANES) array with one lookup table for each group of LANES vectors.
        values: Integer matrix with one row per class. A row has, for each part, the index of the value among the values
            of the part, and then, for each codebook, the index of the codeword in the codebook.
        offsets: One integer per column of `values`. The table rows of class k are the rows offsets[j] + values[k, j]
            for all columns j.
        factors: Factor of each class, by which the sum of the table rows of its codewords is multiplied. If there are
            no codebooks, the array is empty.
        num_parts: Number of parts. The first `num_parts` columns of `values` belong to parts, the others to codebooks.
        shifts: (groups, LANES) array for the shift of each vector, overwritten.
        sums: (groups, LANES) array for the sum of each vector, overwritten.
        weights: Zeros in the shape of `tables`, which are updated in place. If the array is empty, only the shifts and
            sums are computed.
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
            sum_rows(tables[g], values, offsets, factors, num_parts, first, count, x)
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
                    y, values, offsets, factors, num_parts, first, count, weights[g]
                )


@compiled_exactly
def raise_shift(peak: Block, shift: Block, sums: NDArray[np.float64]) -> Block:
    """Raise the shift of each vector to its largest new score, and rescale the sum of the vector to the new shift.

    A score is the dot product of a vector with the point of a class. If the largest new score of a vector is not higher
    than its shift, the shift and the sum stay the same.

    Args:
        peak: For each of LANES vectors, the largest score with the classes that are processed now.
        shift: For each vector, the number that is subtracted from its scores before exp, updated in place.
        sums: For each vector, the sum of exp(score - shift) over the classes processed before, updated in place.

    Returns:
        For each vector, the factor by which its sum was multiplied.
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
    """Multiply entry w of every row of a table by factors[w], for w = 0, ..., LANES - 1.

    Args:
        table: One-dimensional array of rows of LANES numbers; multiplied in place.
        factors: LANES factors.
    """
    for i in range(U(len(table)) // W):
        for w in range(W):
            table[i * W + w] *= factors[w]
