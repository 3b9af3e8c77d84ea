"""The catalogue: rounded codes come back by descent, more room is never worse, and what ships can be made anew."""

from __future__ import annotations

import os
import random
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tools.catalogue_extension import LEAST_GAIN
from tools.catalogue_file import quantize, write_catalogue

import protosphere as ps
from protosphere.bounds import converse
from protosphere.geometry.gram import max_cosine
from protosphere.tables.catalogue import (
    Catalogue,
    CatalogueEntry,
    finish,
    read_catalogue,
    relax,
    shipped_catalogue,
)

SHIPPED = shipped_catalogue()


@pytest.mark.parametrize(
    ("scheme", "num_points", "dim"),
    [("polytope", 12, 3), ("e8_shell", 240, 8), ("bch", 128, 64)],
)
def test_rounding_moves_points_by_a_part_of_their_smallest_angle(
    scheme, num_points, dim
):
    code = ps.construct(
        scheme,
        num_classes=num_points,
        dim=dim,
        **({"modify": True} if scheme == "bch" else {}),
    )
    held = quantize(code.points)
    assert held.levels.dtype == np.int8
    moved = np.arccos(np.clip((held.points * code.points).sum(axis=1), -1, 1))
    assert moved.max() < 0.2 * held.angle


@pytest.mark.parametrize(
    ("num_points", "dim", "value"), [(12, 3, 5**-0.5), (24, 4, 0.5), (27, 6, 0.25)]
)
def test_a_descent_brings_rounded_points_back(num_points, dim, value):
    code = ps.best(num_classes=num_points, dim=dim, iterations=0)
    turned = (
        code.points
        @ np.linalg.qr(np.random.default_rng(0).standard_normal((dim, dim)))[0]
    )
    held = quantize(turned)
    assert max_cosine(held.points) > value + 1e-3
    assert max_cosine(finish(relax(held, num_points, dim, 0))) == pytest.approx(
        value, abs=1e-8
    )


def test_other_sizes_and_dimensions_follow_by_the_seed():
    held = quantize(
        ps.construct("optimized", num_classes=30, dim=5, iterations=300, seed=0).points
    )
    for num_points, dim in ((30, 5), (27, 5), (31, 5), (29, 6), (25, 4)):
        points = relax(held, num_points, dim, 3)
        assert points.shape == (num_points, dim)
        assert np.linalg.matrix_rank(points) == dim
        assert np.array_equal(points, relax(held, num_points, dim, 3))
        assert max_cosine(points) < max_cosine(
            np.random.default_rng(1).standard_normal((num_points, dim))
        )
    assert max_cosine(relax(held, 27, 5, 3)) < max_cosine(relax(held, 31, 5, 3))


ENTRIES = st.lists(
    st.builds(
        CatalogueEntry,
        st.integers(2, 30),
        st.integers(2, 9),
        st.just(0),
        st.just(0),
        st.floats(-1, 1),
    )
)


@given(ENTRIES, st.integers(2, 29), st.integers(2, 8))
def test_more_dimensions_or_fewer_points_never_lead_to_a_worse_entry(
    entries, num_points, dim
):
    catalogue = Catalogue((), tuple(entries), 30, 9)

    def value(K, n):
        found = catalogue.best_entry(K, n)
        return 2.0 if found is None else found.max_cosine

    assert value(num_points, dim) <= min(
        value(num_points + 1, dim), value(num_points, dim - 1)
    )
    found = catalogue.best_entry(num_points, dim)
    assert found is None or (found.num_points >= num_points and found.dim <= dim)


def test_a_file_gives_back_what_was_written_and_a_damaged_one_is_named(tmp_path):
    held = [
        quantize(ps.construct("uniform", num_classes=K, dim=n, seed=1).points)
        for K, n in ((9, 3), (5, 7))
    ]
    written = Catalogue(
        tuple(held),
        (CatalogueEntry(9, 3, 0, 2, 0.25), CatalogueEntry(4, 7, 1, 0, 0.5)),
        9,
        7,
    )
    write_catalogue(tmp_path / "c.npz", written)
    read = read_catalogue(tmp_path / "c.npz")
    assert (read.entries, read.most_points, read.largest_dim) == (written.entries, 9, 7)
    for one, other in zip(read.sources, written.sources, strict=True):
        assert np.array_equal(one.levels, other.levels)
        assert one.angle == other.angle
    (tmp_path / "c.npz").write_bytes((tmp_path / "c.npz").read_bytes()[:-40])
    with pytest.raises(
        ps.StorageError, match=r"c\.npz.*not a catalogue, or a damaged one"
    ):
        read_catalogue(tmp_path / "c.npz")
    np.savez(tmp_path / "other.npz", rows=np.arange(3))
    with pytest.raises(ps.StorageError, match=r"other\.npz"):
        read_catalogue(tmp_path / "other.npz")


def _changed(name, value, at=0):
    def change(columns):
        columns[name].flat[at] = value

    return change


@pytest.mark.parametrize(
    "change",
    [
        lambda columns: columns["levels"].fill(0),
        _changed("angles", np.nan),
        _changed("angles", 0.0),
        _changed("angles", 1e-200),
        _changed("source", 2),
        _changed("num_points", 1),
        _changed("num_points", 10),
        _changed("dim", 0),
        _changed("dim", 8),
        _changed("dim", 1, at=1),
        _changed("max_cosine", np.nan),
        _changed("max_cosine", 1.5),
        _changed("shapes", 60_000),
        _changed("shapes", 0),
        lambda columns: columns.update(seed=np.array([0.5, 1.0])),
        lambda columns: columns.update(shapes=columns["shapes"] * 1j),
        lambda columns: columns.update(extent=np.array([60_000, 60_000, 3])),
        lambda columns: columns.update(levels=columns["levels"].astype(float)),
    ],
)
def test_a_file_that_no_search_wrote_is_refused_when_it_is_read(tmp_path, change):
    held = [
        quantize(ps.construct("uniform", num_classes=K, dim=n, seed=1).points)
        for K, n in ((9, 3), (5, 7))
    ]
    write_catalogue(
        tmp_path / "c.npz",
        Catalogue(
            tuple(held),
            (CatalogueEntry(9, 3, 0, 2, 0.25), CatalogueEntry(4, 6, 1, 0, 0.5)),
            9,
            7,
        ),
    )
    columns = dict(np.load(tmp_path / "c.npz"))
    change(columns)
    np.savez_compressed(tmp_path / "c.npz", **columns)
    with pytest.raises(
        ps.StorageError, match=r"c\.npz.*not a catalogue, or a damaged one"
    ):
        read_catalogue(tmp_path / "c.npz")


def test_a_small_file_that_unpacks_to_a_huge_one_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("protosphere.tables.catalogue.MOST_BYTES", 1 << 20)
    np.savez_compressed(tmp_path / "bomb.npz", levels=np.zeros(1 << 21, np.int8))
    with pytest.raises(ps.StorageError, match="unpacked it takes more than 1 MB"):
        read_catalogue(tmp_path / "bomb.npz")


def test_no_shipped_entry_promises_less_than_the_converse():
    for entry in random.Random(0).sample(SHIPPED.entries, 200):
        assert entry.max_cosine > float(converse(entry.num_points, entry.dim))
        assert entry.source < len(SHIPPED.sources)


@given(st.integers(2, 300), st.integers(3, 64))
@settings(deadline=None, max_examples=20)
def test_the_best_is_never_worse_with_more_dimensions_or_fewer_classes(
    num_classes, dim
):
    here, more, fewer = (
        ps.best(num_classes=K, dim=n, iterations=1000)
        for K, n in (
            (num_classes, dim),
            (min(num_classes + 1, 300), dim),
            (num_classes, dim - 1),
        )
    )
    value = float(here.max_cosine)
    lowest = min(float(more.max_cosine), float(fewer.max_cosine))
    not_kept = LEAST_GAIN * (1 - lowest)  # smaller gains are no entries of their own
    assert value <= lowest + not_kept + 1e-3  # CPUs round differently
    assert value >= float(here.certificate.converse) - 1e-12
    assert here.points.shape == (num_classes, dim)
    assert max_cosine(here.points) == pytest.approx(value, abs=1e-9)


BITS = """
import hashlib, random
import protosphere as ps
from protosphere.tables.catalogue import shipped_catalogue

held = shipped_catalogue()
small = [one for one in held.entries if 100 <= one.num_points * one.dim <= 200]
codes = [held.build(one) for one in random.Random(0).sample(small, 4)]
codes.append(ps.construct("optimized", num_classes=30, dim=6, iterations=60, seed=0).points)
print(hashlib.sha256(b"".join(code.tobytes() for code in codes)).hexdigest())
"""


def test_bits_do_not_depend_on_how_many_threads_multiply_matrices():
    digests = {
        subprocess.run(
            [sys.executable, "-c", BITS],
            env=os.environ | {"OMP_NUM_THREADS": count, "OPENBLAS_NUM_THREADS": count},
            capture_output=True,
            check=True,
        ).stdout
        for count in ("1", "2")
    }
    assert len(digests) == 1
