"""Shortened, extended, punctured and lengthened codes: each against its definition, on all words of the code before."""

import re
from itertools import product

import numpy as np
import pytest
from tests.coding.built_codes import bch, rank

from protosphere.coding.linear import codewords, smallest_weight, unpack
from protosphere.constructions.block_codes.bch import bch_modifications
from protosphere.constructions.block_codes.reed_muller import reed_muller_modifications

SIZES = [
    (dim, needed)
    for dim, needed in product(range(3, 20), (1, 2, 3, 5, 8))
    if needed <= dim
]


@pytest.mark.slow
@pytest.mark.parametrize(("dim", "needed"), SIZES)
@pytest.mark.parametrize(
    "modifications", [bch_modifications, reed_muller_modifications]
)
def test_every_modified_code_keeps_its_promise(modifications, dim, needed):
    for modified in modifications(dim, needed):
        generator = modified.rows(needed)
        assert rank(generator, dim) == len(generator) >= needed, modified.description
        assert smallest_weight(generator[:needed], dim) >= modified.distance, (
            modified.description
        )


def step(text, change):
    found = re.search(rf"{change} by (\d+)", text)
    return int(found[1]) if found else 0


@pytest.mark.parametrize(
    ("dim", "needed"),
    [(size, k) for size, k in SIZES if 5 <= size <= 17 and k in (2, 5)],
)
def test_modified_bch_codes_have_the_words_of_their_definition(dim, needed):
    for modified in bch_modifications(dim, needed):
        m, k = (
            (int(n) + 1).bit_length() - 1 if i == 0 else int(n)
            for i, n in enumerate(re.findall(r"\d+", modified.description)[:2])
        )
        if k > 11:
            continue
        code = bch(m, k, even=modified.description.startswith("even"))
        words = unpack(codewords(code, 1 << k), 2**m - 1)
        shortened = step(modified.description, "shortened")
        words = words[~words[:, :shortened].any(axis=1)][:, shortened:]
        extended = "extended" in modified.description
        if extended:
            words = np.hstack([words, words.sum(axis=1, keepdims=True) % 2])
        punctured = step(modified.description, "punctured")
        lengthened = step(modified.description, "lengthened")
        length = words.shape[1]
        words = words[:, punctured:] if extended else words[:, : length - punctured]
        words = np.hstack(
            [words, words[:, np.arange(lengthened) % max(1, words.shape[1])]]
        )
        ours = unpack(codewords(modified.rows(needed), 1 << needed), dim)
        assert {tuple(word) for word in ours.tolist()} <= {
            tuple(word) for word in words.tolist()
        }, modified.description
