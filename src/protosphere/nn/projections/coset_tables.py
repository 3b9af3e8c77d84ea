"""The cosets of a layout as signs, for kernels that use fast transforms instead of matrix products."""

import numpy as np
from torch import Tensor, nn

from protosphere.nn.kernels.buffers import as_tensor, with_torch_strides
from protosphere.nn.projections.hadamard_layout import HadamardLayout


class CosetTables(nn.Module):
    """Signs of whole cosets of a linear code, one byte per coordinate.

    Attributes:
        flips: (C, b L) signs of the coordinates of each of b bins, padded with zeros to the size L of the largest bin.
        columns: Coordinates in the order of `flips`; 0 where `flips` is 0.
        glue_vectors: J x t glue vectors; J x 0 if there are none.
        glue_of: Index of the glue vector of each coset.
        length: Length of the codewords.
        dim: Dimension n: the length of the codewords plus the length of the glue vectors.
        coefficient: Factor of the signs in a point.
        bins: Number b of sums that are transformed.
        both: Whether each codeword also represents its antipode.
        glued: Whether any glue vector is nonzero.
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
        """Number of points per coset."""
        return self.bins << self.both
