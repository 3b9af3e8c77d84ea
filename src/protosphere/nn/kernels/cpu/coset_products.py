"""Products with whole cosets by compiled loops: on a processor, in float32, without a matrix product.

Against the two small matrix products a word of `hadamard`, n = 256, K = 65,536, batch 64, two threads: logits in 2.1 ms
for 3.7, largest 1.8 for 5.0, cross-entropy with its gradient 5.3 for 12.9.
"""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from protosphere.nn.kernels.row_threads import in_memory
from protosphere.nn.projections.block import TopK, with_usual_strides
from protosphere.nn.projections.hadamard_layout import HadamardLayout

CHOSEN_ENTRIES = 1 << 22
"""Products with words of the best cosets held at once, 16 MB."""


class FusedCosets(nn.Module):
    """The cosets of a layout, for vectors on a processor in float32 that need no gradient.

    Attributes:
        flips: (C, b L): the signs of the coordinates of each bin, filled up with zeros to the size L of the largest.
        columns: the coordinates in that order; 0 where `flips` has zeros.
        tails, tail_of: as in a HadamardBlock.
    """

    flips: Tensor
    columns: Tensor
    tails: Tensor
    tail_of: Tensor

    def __init__(self, layout: HadamardLayout) -> None:
        super().__init__()
        self.length = layout.length
        self.coefficient = layout.coefficient
        self.bins = 1 << len(layout.generator)
        self.both = layout.antipodal
        self.dim = layout.dim
        self.tailed = bool(layout.tails.any())
        columns, flips = layout.flips()
        kept = {
            "flips": flips,
            "columns": columns,
            "tails": layout.tails.astype(np.float32),
        }
        for name, array in (
            kept | {"tail_of": np.ascontiguousarray(layout.tail_of)}
        ).items():
            tensor = torch.from_numpy(array)  # pyright: ignore[reportUnknownMemberType]
            self.register_buffer(name, with_usual_strides(tensor), persistent=False)

    def serves(self, z: Tensor) -> bool:
        """Whether these vectors are of the type and in the place for it."""
        return z.dtype == torch.float32 and in_memory(z) and in_memory(self.flips)

    def words(self, z: Tensor, out: Tensor) -> None:
        """Write the products with all words, B x num_words."""
        _loops().write_words(
            _rows_in_lanes(self._in_bins(z)),
            self.flips.numpy(),
            self.bins,
            self.both,
            out.numpy(),
        )
        if self.tailed:
            out.view(len(z), len(self.flips), self.bins << self.both).add_(
                self._tail_scores(z)[:, :, None]
            )

    def weighted_sum(self, weights: Tensor) -> Tensor:
        """The transpose of `words`: B x num_words to B x n."""
        groups = -(-len(weights) // _loops().LANES)
        block = np.zeros((groups, len(self.columns) * _loops().LANES), dtype=np.float32)
        _loops().add_weighted_words(
            weights.contiguous().numpy(),
            self.flips.numpy(),
            self.bins,
            self.both,
            block,
        )
        each = weights.reshape(len(weights), len(self.flips), self.bins << self.both)
        return self._out_of_lanes(
            _tensor(block), each.sum(2) if self.tailed else None, len(weights)
        )

    def log_sum_exp(self, z: Tensor, with_mean: bool) -> tuple[Tensor, Tensor]:
        """The log-sum-exp of each row and, where asked for, the mean word under its softmax."""
        lanes = _rows_in_lanes(self._in_bins(z))
        cosets = len(self.flips)
        peaks, sums = np.empty(
            (2, len(lanes), cosets, _loops().LANES), dtype=np.float32
        )
        sums[:] = 0
        tails = _rows_in_lanes(self._tail_scores(z)).reshape(peaks.shape)
        word_sums = np.zeros_like(lanes) if with_mean else lanes[:0]
        _loops().write_sums(
            lanes,
            self.flips.numpy(),
            tails,
            self.bins,
            self.both,
            peaks,
            sums,
            word_sums,
        )
        peak = _tensor(peaks[:, -1])
        weights = _tensor(sums) * torch.exp(_tensor(peaks) - peak[:, None])
        total = weights.sum(1)
        value = (peak + total.log()).flatten()[: len(z)]
        if not with_mean:
            return value, z.new_empty(len(z), 0)
        if self.tailed:
            shares = (weights / total[:, None]).transpose(1, 2).flatten(0, 1)[: len(z)]
        else:
            shares = None
        mean = (
            _tensor(word_sums).view(len(lanes), len(self.columns), _loops().LANES)
            / total[:, None]
        )
        return value, self._out_of_lanes(mean, shares, len(z))

    def top(self, z: Tensor, k: int) -> TopK:
        """The k largest: they lie in the k cosets whose best words are best, and only those are looked at again."""
        lanes = _rows_in_lanes(self._in_bins(z))
        highest = np.empty(
            (len(lanes), len(self.flips), _loops().LANES), dtype=np.float32
        )
        _loops().write_highest(lanes, self.flips.numpy(), self.bins, self.both, highest)
        tails = self._tail_scores(z)
        best = _tensor(highest).transpose(1, 2).flatten(0, 1)[: len(z)] + tails
        cosets = best.topk(min(k, len(self.flips)), dim=1).indices
        size = max(1, CHOSEN_ENTRIES // (cosets.shape[1] * self.bins))
        some = [slice(start, start + size) for start in range(0, len(z), size)] or [
            slice(0)
        ]
        values, words = zip(
            *(self._top_within(z[rows], cosets[rows], tails[rows], k) for rows in some),
            strict=True,
        )
        return torch.cat(values), torch.cat(words)

    def _top_within(self, z: Tensor, cosets: Tensor, tails: Tensor, k: int) -> TopK:
        """The k largest among the words of these cosets, B x some of them: their signs go to the vectors instead."""
        each = self._in_bins(z).repeat_interleave(cosets.shape[1], dim=0)
        per_coset = self.bins << self.both
        no_flips = np.ones((1, len(self.columns)), dtype=np.int8)
        words = torch.empty(len(each), per_coset)
        lanes = _rows_in_lanes(each * self.flips[cosets.flatten()])
        _loops().write_words(lanes, no_flips, self.bins, self.both, words.numpy())
        scores = (
            words.view(*cosets.shape, per_coset) + tails.gather(1, cosets)[:, :, None]
        )
        values, place = scores.flatten(1).topk(k, dim=1)
        return values, cosets.gather(
            1, place // per_coset
        ) * per_coset + place % per_coset

    def _tail_scores(self, z: Tensor) -> Tensor:
        """What the tails of the cosets add: B x cosets."""
        return (z[:, self.length :] @ self.tails.to(z.dtype).T)[:, self.tail_of]

    def _in_bins(self, z: Tensor) -> Tensor:
        """The coordinates in the order of `columns`, times the coefficient: B x b L."""
        return (z[:, : self.length] * self.coefficient).index_select(1, self.columns)

    def _out_of_lanes(
        self, block: Tensor, coset_weights: Tensor | None, batch: int
    ) -> Tensor:
        """The transpose of `_in_bins` in lanes, and the sums of the tails with weights B x cosets."""
        lanes = block.view(len(block), len(self.columns), _loops().LANES)
        rows = lanes.transpose(1, 2).flatten(0, 1)[:batch] * self.coefficient
        word_sums = rows.new_zeros(batch, self.dim).index_add_(1, self.columns, rows)
        if coset_weights is not None:
            word_sums[:, self.length :] = (
                coset_weights @ self.tails.to(rows.dtype)[self.tail_of]
            )
        return word_sums


def _rows_in_lanes(rows: Tensor) -> NDArray[np.float32]:
    """B x some numbers as (groups, some LANES), the last group filled up with zeros."""
    width = _loops().LANES
    padded = nn.functional.pad(rows, (0, 0, 0, -len(rows) % width))
    return (
        padded.view(len(padded) // width, width, rows.shape[1])
        .transpose(1, 2)
        .flatten(1)
        .numpy()
    )


def _tensor(block: NDArray[np.float32]) -> Tensor:
    return torch.from_numpy(block)  # pyright: ignore[reportUnknownMemberType]


def _loops() -> Any:
    """The compiled loops, which take a while to import: not before they are used."""
    from protosphere.nn.kernels.cpu import walsh_hadamard as coset_loops

    return coset_loops
