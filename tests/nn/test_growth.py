"""Classes that come later: old prototypes never move, and every stage has its certificate."""

from __future__ import annotations

import copy
from fractions import Fraction

import numpy as np
import pytest
import torch

import protosphere as ps
from protosphere.constructions.build import rebuild
from protosphere.constructions.nested import nested_order
from protosphere.errors import InvalidArgumentError
from protosphere.nn import (
    CosineCrossEntropy,
    PrototypeHead,
    first_classes,
    nested_certificates,
)

RESERVES = [
    ("best", 100, 16),
    ("best", 100, 64),
    ("kerdock", 250, 16),
    ("delsarte_goethals", 2000, 16),
    ("bch", 100, 31),
    ("uniform", 60, 8),
    ("simplex", 40, 39),
]


@pytest.mark.parametrize(("scheme", "room", "dim"), RESERVES)
def test_old_prototypes_stay_bit_for_bit(scheme, room, dim):
    head = PrototypeHead(10, dim=dim, scheme=scheme, reserve=room)
    z = torch.randn(5, dim, generator=torch.Generator().manual_seed(0))
    scale = head.scaling.value
    old = head.prototypes()
    logits = head(z)
    for more in (11, 33, room):
        assert head.grow(more) is head
        assert head(z).shape == (5, more)
        assert torch.equal(head.prototypes()[:10], old)
        torch.testing.assert_close(head(z)[:, :10], logits)
    assert head.scaling.value == scale
    with pytest.raises(
        InvalidArgumentError,
        match=rf"at most {room}, .* got {room + 1}; a new .*reserve={room + 1}\)",
    ):
        head.grow(room + 1)
    with pytest.raises(
        InvalidArgumentError, match=f"at least the {room} of now, got 10"
    ):
        head.grow(10)


@pytest.mark.parametrize(("scheme", "room", "dim"), RESERVES)
def test_certificates_are_of_what_is_used(scheme, room, dim):
    head = PrototypeHead(10, dim=dim, scheme=scheme, reserve=room)
    for certificate, points in (
        (head.certificate, head.code.points),
        (head.reserve_certificate, head.reserve.points),
    ):
        gram = points @ points.T - 2 * np.eye(len(points))
        assert float(certificate.max_cosine) == pytest.approx(gram.max(), abs=1e-9)
        assert certificate.num_classes == len(points)
    assert head.certificate.max_cosine <= head.reserve_certificate.max_cosine


@pytest.mark.parametrize(("scheme", "room", "dim"), RESERVES)
def test_a_reserve_is_rebuilt_from_its_provenance(scheme, room, dim):
    options = {"catalogue": False} if scheme == "best" else {}
    reserve = PrototypeHead(
        10, dim=dim, scheme=scheme, options=options, reserve=room
    ).reserve
    assert np.array_equal(rebuild(reserve.provenance).points, reserve.points)


def test_chains_are_nested():
    code = ps.construct("delsarte_goethals", num_classes=2048, dim=16)
    assert [str(one.max_cosine) for one in nested_certificates(code)] == [
        "-1",
        *["0"] * 4,
        *["1/4"] * 3,
        *["1/2"] * 3,
    ]
    assert (
        first_classes(code, 256).certificate.max_cosine
        == ps.construct("kerdock", num_classes=256, dim=16).max_cosine
    )


def test_the_first_classes_of_a_reserve_are_better_than_all():
    assert (
        PrototypeHead(10, dim=16, reserve=100).certificate.max_cosine
        < PrototypeHead(100, dim=16).certificate.max_cosine
    )
    drawn = ps.construct("uniform", num_classes=60, dim=8)
    ordered = PrototypeHead(10, dim=8, scheme="uniform", reserve=60)
    assert (
        ordered.certificate.max_cosine
        < first_classes(drawn, 10).certificate.max_cosine - 0.2
    )


def test_an_order_holds_every_point_once():
    points = ps.construct("uniform", num_classes=30, dim=4).points
    for first in (2, 7, 30):
        assert sorted(nested_order(points, first)) == list(range(30))


def test_a_code_of_ones_own_is_a_reserve():
    code = ps.construct("reed_muller", num_classes=64, dim=32)
    head = PrototypeHead(3, reserve=code)
    assert np.array_equal(
        head.prototypes().double().numpy().round(6), code.rows(0, 3).round(6)
    )
    assert head.grow(64).code is code


def test_growing_keeps_dtype():
    head = PrototypeHead(3, dim=8, reserve=9).double()
    assert head.grow(9)(torch.zeros(1, 8, dtype=torch.float64)).dtype == torch.float64
    assert {
        buffer.dtype for buffer in head.buffers() if buffer.is_floating_point()
    } <= {torch.float64}


def test_the_first_words_of_a_long_chain_may_share_one_glue_vector():
    code = ps.best(num_classes=50_000, dim=150, iterations=0)
    assert code.placement.structure.name == "glued", (
        "this test is about codes with glue vectors"
    )
    found = first_classes(code, 30_000)
    assert found.max_cosine <= code.max_cosine
    rows = code.rows(0, 3000)
    assert (rows @ rows.T - 2 * np.eye(3000)).max() <= float(found.max_cosine) + 1e-9


def test_the_first_classes_of_a_file_are_not_exact_by_its_guarantee(tmp_path, forged):
    path = tmp_path / "x.safetensors"
    weights = [
        333_333,
        333_335,
        333_335,
    ]  # too fine a grid for cosines to be rounded to
    code = ps.compose(sizes=(4, 6, 8), weights=weights)
    code.save(path)
    claim = Fraction(code.max_cosine + Fraction(1, 10**16)).limit_denominator(10**17)
    assert claim > code.max_cosine

    def promise(arrays, description):
        description["certificate"]["guarantee"] = str(claim)

    forged(path, promise)
    first = first_classes(ps.load(path), 100).certificate
    assert not first.exact
    assert first.interval[0] <= code.max_cosine <= first.interval[1]


@pytest.mark.parametrize("copied", [False, True])
def test_a_loss_made_from_a_head_follows_its_growth(copied):
    head = PrototypeHead(5, dim=16, reserve=40)
    loss = CosineCrossEntropy(head, scale=8)
    if copied:
        head, loss = copy.deepcopy((head, loss))
    state = loss.state_dict()
    head.grow(30)
    z, target = torch.randn(6, 16, dtype=torch.float64), torch.arange(24, 30)
    assert loss.double()(z, target) == CosineCrossEntropy(head, scale=8)(z, target)
    assert loss.code is head.code
    assert loss.state_dict() == state


def test_a_head_made_from_a_code_says_that_the_code_has_no_more_points():
    code = ps.construct("bch", num_classes=50, dim=31)
    for head in (PrototypeHead(code), PrototypeHead(10, reserve=code)):
        with pytest.raises(
            InvalidArgumentError, match=r"no more points, .*reserve=code"
        ):
            head.grow(60)
    with pytest.raises(InvalidArgumentError, match="prototypes differ"):
        PrototypeHead(10, dim=16).grow(60)


def test_a_head_without_reserve_grows_by_a_code_that_begins_with_its_points():
    head = PrototypeHead(10, dim=64)
    new = np.random.default_rng(0).normal(size=(5, 64))
    rows = np.concatenate(
        [head.code.points, new / np.linalg.norm(new, axis=1)[:, None]]
    )
    grown = PrototypeHead(
        ps.from_points(rows), preset=head.preset.name, scale=float(head.scaling.value)
    )
    assert torch.equal(grown.prototypes()[:10], head.prototypes())
    z = torch.randn(8, 64)
    torch.testing.assert_close(grown(z)[:, :10], head(z))
