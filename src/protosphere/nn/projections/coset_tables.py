"""Store one vector of signs for each coset of a `HadamardLayout`, for kernels that use fast transforms.

A `HadamardLayout` describes points that begin with the signs of codewords. The codewords are divided into cosets of a
small linear code. A glue vector has the coordinates of a point that follow the signs of its codeword. A bin is a set of
coordinates on which every codeword of the small code is constant.
"""

import numpy as np
from torch import Tensor, nn

from protosphere.nn.kernels.buffers import as_tensor, with_torch_strides
from protosphere.nn.projections.hadamard_layout import HadamardLayout


class CosetTables(nn.Module):
    """Signs of one codeword of each of the C cosets of a small linear code, one byte per coordinate.

    A point consists of the signs of a codeword, multiplied by `coefficient`, followed by further coordinates, which are
    called its glue vector. All points of a coset have the same glue vector. Two coordinates of the codewords are in the
    same bin if each of the generators of the small code has the same bit at both. To compute the dot products with the
    codewords of a coset, the coordinates of z are multiplied by the signs of the stored codeword and summed over each
    of the b bins. The Walsh-Hadamard transform of the b sums gives b dot products. If `both` is True, the coset also
    has the antipodes of these b codewords, whose dot products are the negatives.

    Args:
        layout: Description of the codewords, their cosets and their glue vectors.

    Attributes:
        flips: (C, b L) signs. Row c has the signs of the stored codeword of coset c: first at the coordinates of the
            first bin, then at those of the second bin, and so on. Each bin is padded with zeros to the size L of the
            largest bin.
        columns: For each column of `flips`, the index of the coordinate. In the padding, the index is 0.
        glue_vectors: Glue vectors, one per row. If the points have no glue vectors, the rows are empty.
        glue_of: For each coset, the index of its glue vector.
        length: Length of the codewords.
        dim: Dimension n: the length of the codewords plus the length of the glue vectors.
        coefficient: Factor by which the signs of a codeword are multiplied in a point.
        bins: Number b of bins.
        both: If True, a coset has 2b codewords, and each of b codewords is followed by its antipode. If False, a coset
            has b codewords.
        glued: Whether at least one glue vector is nonzero.
    """

    flips: Tensor
    columns: Tensor
    glue_vectors: Tensor
    glue_of: Tensor

    def __init__(self, layout: HadamardLayout) -> None:
        super().__init__()
        self.length = layout.length
        self.coefficient = layout.coefficient
        self.bins = 1 << len(layout.generator)
        self.both = layout.antipodal
        self.dim = layout.dim
        self.glued = bool(layout.glue_vectors.any())
        columns, flips = layout.flips()
        tables = {
            "flips": flips,
            "columns": columns,
            "glue_vectors": layout.glue_vectors.astype(np.float32),
            "glue_of": np.ascontiguousarray(layout.glue_of),
        }
        for name, array in tables.items():
            tensor = with_torch_strides(as_tensor(array))
            self.register_buffer(name, tensor, persistent=False)

    @property
    def per_coset(self) -> int:
        """Number of points of each coset: b for b bins, or 2b if the antipodes belong to the coset (`both` is True)."""
        return self.bins << self.both
