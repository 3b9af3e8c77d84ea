"""Compiled loops that compute softmaxes over the points of parts, for LANES = 16 vectors at a time.

A part is a range of coordinates with a list of points in these coordinates. In arrays of rows, a row has LANES
consecutive numbers, one for each of the 16 vectors. The compiler does not keep sums of rows in registers. Therefore the
innermost loop is written in LLVM instructions, which makes the whole softmax 4 times as fast.

The log-sum-exp of some numbers is the logarithm of the sum of their exponentials.
"""
# numba ships no types:
# pyright: reportMissingTypeStubs=false, reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownParameterType=false, reportUnknownArgumentType=false, reportUntypedFunctionDecorator=false

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from protosphere.compiled.decorators import compiled_exactly
from protosphere.nn.kernels.cpu.lookups import row_at, write_peak, write_total
from protosphere.nn.kernels.cpu.simd import LANES, ONE, Block, U, W, exponentials

AT_ONCE = U(4)
"""Number of sums that are computed in one pass over the rows."""

_instruction: Any = (
    intrinsic  # numba passes the first argument, `typing`; callers do not
)

_ROW = ir.VectorType(ir.FloatType(), LANES)
_INDEX = ir.IntType(64)


def _scaled_sums(x: Any, y: Any, factors: Any, num_sums: int) -> Any:
    # `x`, `y` and `factors` are numba types: of the array of the sums, of the rows, and of their weights
    index = types.uint64
    signature = types.void(x, index, y, factors, index, index, index, index)

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        target, first, rows, factors, start, jump, stride, count = given
        target_type, _, rows_type, factors_type = signature.args[:4]
        numbers = context.make_array(factors_type)(context, builder, factors).data
        width = ir.Constant(_INDEX, LANES)
        zeros = ir.Constant(_ROW, [0.0] * LANES)
        sums = [cgutils.alloca_once(builder, _ROW) for _ in range(num_sums)]
        for total in sums:
            builder.store(zeros, total)
        with cgutils.for_range(builder, count, intp=_INDEX) as loop:
            begin = builder.mul(loop.index, width)
            source = row_at(context, builder, rows_type, rows, begin)
            row = builder.load(source, align=4)
            place = builder.add(start, builder.mul(loop.index, stride))
            for total in sums:
                factor = builder.load(builder.gep(numbers, [place]))
                product = builder.fmul(_repeated(builder, factor), row, ("contract",))
                added = builder.fadd(builder.load(total), product, ("contract",))
                builder.store(added, total)
                place = builder.add(place, jump)
        for total in sums:
            place = row_at(context, builder, target_type, target, first)
            builder.store(builder.load(total), place, align=4)
            first = builder.add(first, width)
        return context.get_dummy_value()

    return signature, generate


def _repeated(builder: Any, number: Any) -> Any:
    empty = ir.Constant(_ROW, ir.Undefined)
    single = builder.insert_element(empty, number, ir.Constant(ir.IntType(32), 0))
    order = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.shuffle_vector(single, empty, order)


@_instruction
def write_one_sum(
    typing: Any, x: Any, i: Any, y: Any, f: Any, start: Any, jump: Any, d: Any, n: Any
) -> Any:
    """Write a weighted sum of the first n rows of y into x[i : i + LANES], where LANES is 16.

    In the sum, row k of y has the weight f[start + d * k].

    Args:
        typing: Typing context, which numba passes. Compiled functions call this instruction without it.
        x: One-dimensional array that gets the sum.
        i: Index in x of the first number of the sum.
        y: One-dimensional array of rows; row k is y[k * LANES : (k + 1) * LANES].
        f: One-dimensional array of weights.
        start: Index in f of the weight of row 0.
        jump: Not used.
        d: Distance in f between the weights of consecutive rows.
        n: Number of rows.
    """
    # `jump` has no effect on a single sum; both instructions share their code generator, so both have the argument
    del typing, i, start, jump, d, n
    return _scaled_sums(x, y, f, 1)


@_instruction
def write_four_sums(
    typing: Any, x: Any, i: Any, y: Any, f: Any, start: Any, jump: Any, d: Any, n: Any
) -> Any:
    """Write four weighted sums of the first n rows of y into four consecutive rows of x.

    A row has LANES = 16 numbers. Sum j, for j = 0, ..., 3, is written into x[i + j * LANES : i + (j + 1) * LANES]. In
    this sum, row k of y has the weight f[start + jump * j + d * k].

    Args:
        typing: Typing context, which numba passes. Compiled functions call this instruction without it.
        x: One-dimensional array that gets the sums.
        i: Index in x of the first number of the first sum.
        y: One-dimensional array of rows; row k is y[k * LANES : (k + 1) * LANES].
        f: One-dimensional array of weights.
        start: Index in f of the weight of row 0 in the first sum.
        jump: Distance in f between the weights of the same row in consecutive sums.
        d: Distance in f between the weights of consecutive rows in the same sum.
        n: Number of rows.
    """
    del typing, i, start, jump, d, n
    return _scaled_sums(x, y, f, 4)


@compiled_exactly
def write_weighted_rows(
    x: Block,
    many: int,
    y: Block,
    factors: Block,
    start: int,
    jump: int,
    stride: int,
    count: int,
) -> None:
    """Write `many` weighted sums of the rows of y into the first rows of x.

    A row has LANES = 16 consecutive numbers. Sum j is written into row j of x. In sum j, row k of y has the weight
    factors[start + jump * j + stride * k].

    Args:
        x: One-dimensional array of rows; the first `many` rows are overwritten.
        many: Number of sums.
        y: One-dimensional array of rows.
        factors: One-dimensional array of weights.
        start: Index in `factors` of the weight of row 0 in sum 0.
        jump: Distance in `factors` between the weights of the same row in consecutive sums.
        stride: Distance in `factors` between the weights of consecutive rows in the same sum.
        count: Number of rows of y.
    """
    in_fours = U(many) - U(many) % AT_ONCE
    for j in range(U(0), in_fours, AT_ONCE):
        first = U(start) + U(jump) * j
        write_four_sums(x, j * W, y, factors, first, U(jump), U(stride), U(count))
    for j in range(in_fours, U(many)):
        first = U(start) + U(jump) * j
        write_one_sum(x, j * W, y, factors, first, U(jump), U(stride), U(count))


@compiled_exactly
def write_columns(
    rows: Block, z: Block, first: int, lanes: int, left: int, width: int
) -> None:
    """Copy `width` coordinates of up to LANES = 16 consecutive vectors into `rows`, one row per coordinate.

    Args:
        rows: One-dimensional array of rows of LANES numbers. Entry w of row d becomes z[first + w, left + d].
        z: B x n vectors.
        first: Index of the first vector.
        lanes: Number of vectors, at most LANES. The entries w >= `lanes` of a row stay the same.
        left: Index of the first coordinate.
        width: Number of coordinates.
    """
    for w in range(lanes):
        vector = z[first + w]
        for d in range(width):
            rows[d * LANES + w] = vector[left + d]


@compiled_exactly
def read_columns(
    rows: Block,
    total: Block,
    mean: Block,
    first: int,
    lanes: int,
    left: int,
    width: int,
) -> None:
    """Divide coordinates of up to LANES = 16 vectors by one number per vector, and write the results into `mean`.

    Args:
        rows: One-dimensional array of rows of LANES numbers. Entry w of row d is coordinate left + d of vector w.
        total: LANES numbers. The coordinates of vector w are divided by total[w].
        mean: B x n array. The results for vector w are written into mean[first + w, left : left + width].
        first: Row of `mean` for the first vector.
        lanes: Number of vectors, at most LANES.
        left: Column of `mean` for the first coordinate.
        width: Number of coordinates.
    """
    for w in range(lanes):
        share = ONE / total[w]
        vector = mean[first + w]
        for d in range(width):
            vector[left + d] = share * rows[d * LANES + w]


@compiled_exactly
def add_part_softmax(
    z: Block,
    index: NDArray[np.int64],
    points: Block,
    shape: tuple[int, int, int],
    column: int,
    step: int,
    value: Block,
    mean: Block,
    own: Block,
) -> None:
    """Compute, for each vector, a softmax over the points of each of several parts.

    A part is a range of coordinates with a list of points in these coordinates. A class chooses one point of each part.
    The given parts are consecutive, and have the same number of points and the same number of coordinates. For each
    vector and part, the function

    - adds the log-sum-exp of the vector's dot products with the points of the part to `value`,
    - writes the mean of these points, weighted by the softmax of the dot products, into `mean`,
    - writes the point that a given class chooses into `own`.

    Args:
        z: B x n vectors.
        index: For each vector, the index of the class whose points are written into `own`. The classes are all
            combinations of one point of each part, in the order in which the point of the last part changes fastest. If
            `own` is B x 0, `index` may be empty.
        points: One-dimensional array with the coordinates of the points, part by part and point by point.
        shape: Number of parts, number of points of each part, and number of coordinates of each part.
        column: Index of the first coordinate of the first given part.
        step: Number of combinations of the points of all parts that come after the given parts; 1 if there are none.
        value: B numbers, to which the log-sum-exps are added in place.
        mean: B x n array; the columns of the given parts are overwritten. If the array is B x 0, no means are computed.
        own: B x n array; the columns of the given parts are overwritten. If the array is B x 0, no points are written.
    """
    count, size, width = shape
    rows = np.zeros(max(size, width) * LANES, np.float32)
    x = np.empty(size * LANES, np.float32)
    y = np.empty(size * LANES, np.float32)
    bits = np.empty(size * LANES, np.int32)
    peak = np.empty(LANES, np.float32)
    total = np.empty(LANES, np.float32)
    for p in range(count):
        later = step * size ** (count - 1 - p)
        left = column + p * width
        begin = p * size * width
        for first in range(0, len(z), LANES):
            lanes = min(LANES, len(z) - first)
            write_columns(rows, z, first, lanes, left, width)
            write_weighted_rows(x, size, rows, points, begin, width, 1, width)
            write_peak(x, size, peak)
            exponentials(x, ONE, peak, y, bits, size)
            write_total(y, size, total)
            for w in range(lanes):
                value[first + w] += peak[w] + np.log(total[w])
            if mean.shape[1]:
                write_weighted_rows(rows, width, y, points, begin, 1, width, size)
                read_columns(rows, total, mean, first, lanes, left, width)
        if own.shape[1]:
            for i in range(len(z)):
                chosen = begin + index[i] // later % size * width
                vector = own[i]
                for d in range(width):
                    vector[left + d] = points[chosen + d]
