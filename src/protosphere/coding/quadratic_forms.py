"""Quadratic forms on GF(2)^m as codewords of 2^m bits, in an order in which sums of two early forms have high rank.

The rank determines how far apart cosets of RM(1, m) are. RM(1, m) is the first-order Reed-Muller code: the values of
all affine functions. If the sum of two forms has rank 2h, then their codewords differ in at least 2^(m-1) - 2^(m-1-h)
bits. This also holds after affine functions are added to the forms. See MacWilliams & Sloane, chapter 15.

Tr is the trace to GF(2). The forms are different for odd and for even m:

- For m odd, the forms are functions of x in GF(2^m): Tr(b_1 x^3 + b_2 x^5 + ... + b_r x^(1+2^r)) with b_i in GF(2^m)
  (Gold 1968). For a fixed r, the sum of two different forms has rank at least m + 1 - 2r.
- For m even, the forms are functions of x in GF(2^(m-1)) and a bit e. The first 2^(m-1) forms are the forms Q_a(x, e) =
  sum_{j=1}^{(m-2)/2} Tr((ax)^(1+2^j)) + e Tr(ax) of Kerdock (1972), for all a in GF(2^(m-1)). The element a is called
  the slope of the form. The sum of two different forms Q_a has rank m. All later forms are Q_a + Tr(b_1 x^3 + ... + b_r
  x^(1+2^r)) with b_i in GF(2^(m-1)) (Delsarte & Goethals 1975). For a fixed r, the sum of two different forms has rank
  at least m - 2r.

Every form has an index, from 0 among all forms for this m. Its lowest bits are the bits of a (only for m even). The
bits of b_1, b_2, ... follow. Form 0 is zero.

Bit j of a codeword is the value of the form at point j. For m odd, point j is the field element x = j. For m even, e is
the highest bit of j, and x is given by the other bits. Packed rows have eight bits in a byte.
"""

import numpy as np

from protosphere.coding.fields import binary_field
from protosphere.coding.linear import codewords, encode, pack
from protosphere.errors import InfeasibleError, as_integer
from protosphere.types import Indices, PackedBits

LARGEST_NUMBER_BITS = 62
LARGEST_VARIABLES = 16
BLOCK_ENTRIES = 1 << 20


def form_bits(m: int) -> int:
    """Return m(m-1)/2: the number of bits of the index of a quadratic form on m bits.

    There are 2^(m(m-1)/2) quadratic forms, if forms that differ by an affine function are counted once.

    Args:
        m: Number of bits of a point.
    """
    return m * (m - 1) // 2


def quadratic_forms(m: int, count: int) -> PackedBits:
    """Return the first quadratic forms on m bits, in an order in which sums of two early forms have high rank.

    Form 0 is zero. For m odd, the forms are sums Tr(b_1 x^3 + b_2 x^5 + ...) with b_i in GF(2^m), and forms with few
    terms come first. For m even, the 2^(m-1) forms of Kerdock come first, followed by the sums of one of them and a
    form Tr(b_1 x^3 + b_2 x^5 + ...) with b_i in GF(2^(m-1)). Here Tr is the trace to GF(2).

    Args:
        m: Number of bits of a point, at most 16.
        count: Number of forms.

    Returns:
        A row for each form, with its values at all 2^m points, packed with eight bits in a byte. Value j is the value
        at point j: for m odd the field element x = j, and for m even the pair of a bit e, the highest bit of j, and x
        in GF(2^(m-1)), the other bits.

    Raises:
        InfeasibleError: If there are fewer than `count` quadratic forms on m bits, or `count` is above 2^62.

    >>> np.unpackbits(quadratic_forms(2, 2), axis=1, count=4).tolist()  # 0 and e x
    [[0, 0, 0, 0], [0, 0, 0, 1]]
    """
    most = 1 << min(form_bits(m), LARGEST_NUMBER_BITS)
    if as_integer("count", count, minimum=0) > most:
        raise InfeasibleError(
            f"'count' asks for form number {count - 1}, but m = {m} has 2**{form_bits(m)}"
        )
    needed = (max(count, 1) - 1).bit_length()
    if m % 2:
        return codewords(trace_forms(m, needed), count)
    numbers = np.arange(count)
    slopes = 1 << (m - 1)
    traces = encode(trace_forms(m, max(0, needed - m + 1)), numbers // slopes)
    return kerdock_forms(m, numbers[:slopes])[numbers % slopes] ^ traces


def trace_forms(m: int, count: int) -> PackedBits:
    """Return the first forms of the list Tr(x^3), Tr(alpha x^3), Tr(alpha^2 x^3), ..., Tr(x^5), Tr(alpha x^5), ...

    Here x and alpha are in a field, which is GF(2^m) for m odd and GF(2^(m-1)) for m even. alpha is its primitive
    element, and Tr is the trace to GF(2). For m even, a point has one bit in addition to x, on which the forms do not
    depend.

    Args:
        m: Number of bits of a point.
        count: Number of forms to return.

    Returns:
        A row for each form, with its values at all 2^m points, packed with eight bits in a byte. Value j is the value
        at point j. For m odd, x is the field element j. For m even, the additional bit is the highest bit of j, and x
        is given by the other bits.
    """
    field = binary_field(m - 1 + m % 2)
    x = np.arange(1 << field.m)
    bits = np.empty((count, 1 << m), dtype=np.uint8)
    for row in range(count):
        j, i = divmod(row, field.m)
        powers = field.power(x, 1 + (2 << j))
        form = field.trace(field.multiply(powers, 1 << i))
        bits[row] = np.tile(form, 2 - m % 2)
    return pack(bits)


def kerdock_forms(m: int, slopes: Indices) -> PackedBits:
    """Return Kerdock's forms Q_a for m even: Q_a(x, e) = sum_{j=1}^{(m-2)/2} Tr((ax)^(1+2^j)) + e Tr(ax).

    A point (x, e) consists of x in GF(2^(m-1)) and a bit e. Tr is the trace from GF(2^(m-1)) to GF(2).

    Args:
        m: Number of bits of a point, even.
        slopes: The field elements a, called slopes, as integers below 2^(m-1).

    Returns:
        A row for each form, with its values at all 2^m points, packed with eight bits in a byte. Value j is the value
        at point j: e is the highest bit of j, and x is given by the other bits.
    """
    field = binary_field(m - 1)
    x = np.arange(1 << field.m)
    form = np.zeros(len(x), dtype=np.int64)
    for j in range(1, m // 2):
        form ^= field.trace(field.power(x, 1 + (1 << j)))
    both = np.stack([form, form ^ field.trace(x)]).astype(np.uint8)
    # Q_a(x, e) depends only on ax and e, so its values for nonzero a are a permutation of the values of Q_1.
    packed = np.empty((len(slopes), (2 * len(x) + 7) // 8), dtype=np.uint8)
    block = max(1, BLOCK_ENTRIES >> m)
    for start in range(0, len(slopes), block):
        rows = slice(start, start + block)
        products = field.multiply(slopes[rows, None], x)
        forms = np.hstack([both[0][products], both[1][products]])
        packed[rows] = pack(forms)
    return packed
