"""Numbers and lists that the pages promise, read from the pages and compared with what is there."""

from __future__ import annotations

import json
import re
from contextlib import nullcontext
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from safetensors import safe_open
from tests.fuzz.code_files import seeds

import protosphere as ps
from protosphere.errors import InvalidArgumentError
from protosphere.experiments.store import records_at
from protosphere.spherical.certificate import Measurement, certificate_of
from protosphere.tables.atlas import shipped_atlas
from protosphere.tables.catalogue import shipped_catalogue
from protosphere.tables.table_files import shipped_file
from reproduction.experiments import paper_runs
from reproduction.predictors import predictors
from reproduction.results import Results

ROOT = Path(__file__).parents[2]
TIMES = "\N{MULTIPLICATION SIGN}"


def page(name):
    return " ".join((ROOT / name).read_text(encoding="utf-8").split())


def table(name, heading):
    """The cells of the table whose first line begins so."""
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    start = next(
        number for number, line in enumerate(lines) if line.startswith(heading)
    )
    body = lines[start + 2 :]
    last = next(number for number, line in enumerate(body) if not line.startswith("|"))
    return [
        [cell.strip() for cell in line.strip("|").split("|")] for line in body[:last]
    ]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Of every structure what is in its file: arrays, and the header."""
    found = {}
    for path in seeds(tmp_path_factory.mktemp("seeds")):
        if path.suffix == ".safetensors":
            with safe_open(path, framework="numpy") as file:
                names = file.keys()  # it is no mapping, and cannot be iterated over
                found[path.stem] = (
                    {name: file.get_tensor(name) for name in names},
                    file.metadata(),
                )
    return found


def test_files_hold_the_arrays_that_the_page_lists(files):
    listed = {
        row[0].strip("`"): row for row in table("docs/files.md", "| name | shape |")
    }
    seen = set()
    for arrays, _ in files.values():
        for name, array in arrays.items():
            assert str(array.dtype) == listed[name][2], name
            assert array.ndim == len(listed[name][1].split(TIMES)), name
            seen.add(name)
    assert seen == set(listed), "every line of the table has a file that has it"
    assert all(
        ("points" in arrays) + ("signs" in arrays) + ("sizes" in arrays) == 1
        for arrays, _ in files.values()
    )


def test_headers_hold_what_the_page_lists(files):
    keys = {
        name.strip("`")
        for row in table("docs/files.md", "| key | content |")
        for name in row[0].split(", ")
    }
    lines = (
        (ROOT / "docs/files.md")
        .read_text(encoding="utf-8")
        .split("The description:")[1]
        .splitlines()
    )
    listed = {
        name
        for line in lines
        if line.startswith("| `")
        for name in re.findall(r"`(\w+)`", line.split("|")[1])
    }
    structures = {
        row
        for line in lines
        if line.startswith("| `structure`")
        for row in re.findall(r"`(\w+)`", line)
    }
    for _, header in files.values():
        assert set(header) == keys
        description = json.loads(header["description"])
        assert set(description) <= listed
        assert description.get("structure", "plain") in structures


def test_the_catalogue_and_the_atlas_are_as_large_as_the_page_says():
    said = page("docs/best.md")
    catalogue = shipped_catalogue()
    assert f"the points of {len(catalogue.sources):,} codes" in said
    assert f"short descents make {len(catalogue.entries):,} of all sizes" in said
    assert (
        f"For K up to {catalogue.most_points} and n up to {catalogue.largest_dim} the package keeps"
        in said
    )
    with shipped_file("catalogue.npz") as path:
        assert f"in {path.stat().st_size / 1e6:.1f} MB" in said
    rows = shipped_atlas()
    counts, dims = (
        {getattr(row, name) for row in rows} for name in ("num_classes", "dim")
    )
    assert (
        f"K from {min(counts)} to {max(counts):,}, n from {min(dims)} to {max(dims)}, made with"
        in said
    )
    assert all(row.optimal for row in rows if row.num_classes <= 2 * row.dim), (
        "up to 2n classes always"
    )


def test_the_converses_of_big_codes_are_those_of_the_page():
    for dim, few, few_converse, many, many_converse in table(
        "docs/best.md", "| n | K = 10"
    ):
        for K, found, least in (
            (10**5, few, few_converse),
            (10**6, many, many_converse),
        ):
            assert float(
                ps.bounds.converse(num_classes=K, dim=int(dim))
            ) == pytest.approx(float(least), abs=6e-5)
            assert float(found) > float(least)


def test_a_million_classes_in_512_dimensions_are_64_megabytes():
    assert "a million classes in 512 dimensions are 64 MB" in page(
        "docs/certificates.md"
    )
    assert ps.construct("bch", num_classes=1000, dim=511).signs.nbytes == 1000 * 64


def test_experiments_have_as_many_runs_as_the_page_says():
    for budget, *cells in table("docs/reproduction.md", "| budget | mnist |"):
        for name, cell in zip(("mnist", "cifar100"), cells, strict=True):
            if not cell:
                with pytest.raises(InvalidArgumentError, match="budget"):
                    paper_runs(name, budget.strip("`"))
                continue
            assert len(paper_runs(name, budget.strip("`"))) == int(
                re.search(r"(\d+) runs", cell)[1]
            )


@pytest.mark.parametrize(
    ("measured", "refused"),
    [
        (-0.25 + 2e-9, True),
        (-0.25 + 0.5e-9, False),
        (-0.25 - 2e-9, True),
        (Fraction(-1, 4), False),
        (Fraction(-1, 4) + Fraction(1, 10**15), True),
        (Fraction(-1, 4) - Fraction(1, 10**15), True),
    ],
)
def test_there_is_no_code_whose_measure_contradicts_theory(measured, refused):
    assert (
        "by more than 10<sup>-9</sup> (or at all, between fractions), `CertificateError`"
        in page("docs/certificates.md")
    )
    with pytest.raises(ps.CertificateError) if refused else nullcontext():
        found = Measurement(5, 4, measured, "by hand")
        certificate_of(found, Fraction(-1, 4), proved=False)


def test_more_multiplications_than_the_page_allows_are_refused_before_they_begin(
    monkeypatch,
):
    assert "more than 10<sup>15</sup> multiplications to measure, is refused" in page(
        "docs/certificates.md"
    )
    monkeypatch.setattr(
        "protosphere.constructions.limits.memory_bytes", lambda: 1 << 60
    )
    with pytest.raises(
        ps.InfeasibleError,
        match="num_classes\\*\\*2 \\* dim up to 10\\*\\*15 is feasible",
    ):
        ps.construct("uniform", num_classes=10**7, dim=11)


def test_rows_in_text_have_seventeen_digits(tmp_path):
    points = np.random.default_rng(0).standard_normal((3, 4))
    ps.from_points(points, normalize=True).save(tmp_path / "x.csv")
    cells = (tmp_path / "x.csv").read_text().replace("\n", ",").strip(",").split(",")
    assert max(len(re.sub(r"e.*|[-.]", "", cell).lstrip("0")) for cell in cells) == 17


def test_the_table_of_results_is_that_of_the_file():
    records = [
        record
        for record in records_at(ROOT / "results" / "cifar100-hours.csv")
        if record.status == "done"
    ]
    assert f"What `hours` gave on CIFAR-100 ({len(records)} runs" in page(
        "docs/reproduction.md"
    )
    cells = {}
    for record in records:
        cells.setdefault(
            (record.config.series, record.config.dim, record.config.mapping), []
        ).append(record)
    dims = sorted({dim for _, dim, _ in cells})
    shown = 0
    for series, mapping, *row in table(
        "docs/reproduction.md", "| scheme | mapping | n = 31 |"
    ):
        for dim, accuracy in zip(dims, row, strict=True):
            own = cells.get((series, dim, mapping or "fixed"), [])
            assert bool(own) == bool(accuracy)
            if own:
                mean = 100 * np.mean([r.test_accuracy for r in own])
                rounded = float(accuracy.split(" ±")[0])
                assert rounded == pytest.approx(mean, abs=0.05 + 1e-9), (
                    "ties go either way"
                )
                shown += 1
    assert shown == len(cells)


def test_the_number_that_tells_is_what_the_results_say():
    rows = {
        row[0]: row
        for row in table("docs/what-separation-is-worth.md", "| data | runs | cells |")
    }
    files = {
        "CIFAR-100, features": "cifar100-features",
        "CIFAR-100, `strided` from scratch": "cifar100-hours",
    }
    for name, file in files.items():
        records = Results(tuple(records_at(ROOT / "results" / f"{file}.csv"))).unaligned
        found = {one.name: one for one in predictors(records)}
        told = rows[name]
        assert int(told[2]) == found["max cosine"].cells
        for column, number in (
            (3, "mean squared cosine"),
            (4, "max cosine"),
            (5, "log energy"),
        ):
            assert told[column].startswith(
                f"{100 * found[number].r_squared:.0f} % ("
            ), number
