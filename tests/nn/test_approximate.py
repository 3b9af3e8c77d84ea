"""Approximate decoding: exact where all cosets are looked at, nearly always right for vectors near a word."""

from __future__ import annotations

import pytest
import torch

import protosphere as ps
from protosphere.nn.approximate import ApproximateTop
from protosphere.nn.projections import projection_for

CODES = {
    "kerdock": ("kerdock", 4096, 64, {}),
    "kerdock, part of a coset, shuffled": ("kerdock", 4000, 64, {"mapping": "random"}),
    "delsarte_goethals": ("delsarte_goethals", 20_480, 64, {}),
    "gold": ("gold", 30_000, 128, {}),
    "reed_muller": ("reed_muller", 5000, 64, {}),
}


def code_of(name):
    scheme, num_classes, dim, options = CODES[name]
    return ps.construct(scheme, num_classes=num_classes, dim=dim, **options)


def near_words(code, cosine, count=200):
    draw = torch.Generator().manual_seed(0)
    chosen = torch.randint(code.num_classes, (count,), generator=draw)
    words = torch.from_numpy(code.points[chosen]).float()
    noise = torch.randn(words.shape, generator=draw)
    noise = torch.nn.functional.normalize(
        noise - (noise * words).sum(1, keepdim=True) * words, dim=1
    )
    return cosine * words + (1 - cosine**2) ** 0.5 * noise, chosen


@pytest.mark.parametrize("name", CODES)
def test_with_all_cosets_it_is_exact(name):
    code = code_of(name)
    z = torch.randn(7, code.dim)
    values, classes = ApproximateTop(code, directions=1, cosets=10_000)(z, 5)
    expected = projection_for(code, "dense").top(z, 5)
    torch.testing.assert_close(values, expected[0], rtol=0, atol=1e-5)
    assert torch.equal(classes, expected[1])


@pytest.mark.parametrize("name", CODES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_vectors_near_a_word_find_it(name, dtype):
    z, chosen = near_words(code_of(name), 0.9)
    values, classes = ApproximateTop(code_of(name))(z.to(dtype))
    assert values.dtype == dtype
    assert (classes[:, 0] == chosen).float().mean() >= 0.99


def test_few_cosets_lose_little_and_more_lose_less():
    code = code_of("kerdock")
    z, _ = near_words(code, 0.6, 400)
    exact = projection_for(code, "dense").top(z)[1]
    recalls = [
        (ApproximateTop(code, 8, cosets)(z)[1] == exact).float().mean()
        for cosets in (1, 4, 16)
    ]
    assert recalls == sorted(recalls)
    assert recalls[-1] >= 0.95


def test_the_values_are_those_of_the_classes():
    code = code_of("gold")
    z = torch.randn(9, 128)
    values, classes = ApproximateTop(code)(z, 3)
    torch.testing.assert_close(
        values, projection_for(code, "dense")(z).gather(1, classes), rtol=0, atol=1e-5
    )
    assert (values.diff(dim=1) <= 0).all()


@pytest.mark.parametrize(
    ("scheme", "num_classes", "dim"),
    [("bch", 100, 63), ("simplex", 9, 8), ("reed_muller", 9, 8)],
)
def test_other_codes_are_refused(scheme, num_classes, dim):
    with pytest.raises(
        ps.InvalidArgumentError,
        match=r"'code' must be made of cosets of RM\(1, m\).*`Projection.top`",
    ):
        ApproximateTop(ps.construct(scheme, num_classes=num_classes, dim=dim))


def test_more_than_there_is_to_look_at():
    with pytest.raises(
        ps.InvalidArgumentError,
        match="'k' must be at most 64, half the words of 1 cosets, got 65",
    ):
        ApproximateTop(code_of("kerdock"), cosets=1)(torch.zeros(1, 64), 65)
