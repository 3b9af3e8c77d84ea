"""The page is one file that fetches nothing, drawn from what the package has."""

from __future__ import annotations

import base64
import gzip
import json
import re
import webbrowser
from dataclasses import replace

import pytest

import protosphere as ps
from protosphere.atlas_page.html import page_html, write_page
from protosphere.atlas_page.page_data import promised_cells
from protosphere.atlas_page.serving import serving_members
from protosphere.cli import main
from protosphere.tables.catalogue import shipped_catalogue


def carried(page):
    packed = re.search(r'<script id="data"[^>]*>([^<]*)</script>', page)[1]
    return json.loads(gzip.decompress(base64.b64decode(packed)))


def test_nothing_is_fetched(data):
    page = page_html(data)
    assert not re.search(r"""(src|href)\s*=\s*["'](?!data:|#)""", page)
    assert not re.search(
        r"url\(|@import|fetch\(|XMLHttpRequest|WebSocket|sendBeacon|import\(", page
    )
    assert "default-src 'none'" in page
    assert set(re.findall(r"https?://[^\s\"'`]*", page)) == {
        "http://www.w3.org/2000/svg"
    }
    assert len(page) < 3_000_000
    assert not re.search(r"/\*(STYLE|DATA|SCRIPT)\*/", page)


def test_every_scheme_and_member_is_on_it(data):
    assert set(data["schemes"]) == {
        name for name in ps.available() if ps.describe(name).traits.on_page
    }
    for name, rows in data["members"].items():
        assert [row[:3] for row in rows] == [
            [s.member.dim, s.first, s.last] for s in serving_members(ps.describe(name))
        ]
    assert data["counts"]["searches"] == len(shipped_catalogue().entries)
    assert data["version"] == ps.__version__


def test_a_new_construction_is_on_it_without_being_told():
    simplex = ps.describe("simplex")
    assert promised_cells(simplex) == []  # the page has its formula
    unknown = replace(simplex, traits=replace(simplex.traits, page_formula=False))
    rows = promised_cells(unknown)
    assert [16, 16, "-1/15", "-1/15"] in rows
    assert all(row[1] >= row[0] - 1 for row in rows)


def test_a_member_serves_what_construct_takes_it_for():
    for serving in list(serving_members(ps.describe("shortened_cosets")))[:40:7]:
        for K in {serving.first, min(serving.last, 5000)}:
            code = ps.construct(
                "shortened_cosets", num_classes=K, dim=serving.member.dim
            )
            assert code.provenance.chosen == {"member": serving.member.id}


def test_most_members_of_families_that_were_looked_at_are_measured(data):
    looked_at = [
        rows for rows in data["members"].values() if any(row[6] for row in rows)
    ]
    assert len(looked_at) >= 20
    assert sum(bool(row[6]) for rows in looked_at for row in rows) > 0.75 * sum(
        map(len, looked_at)
    )


def test_the_command_writes_and_opens_it(tmp_path, monkeypatch, capsys):
    opened = []
    monkeypatch.setattr(
        webbrowser, "open", lambda address: opened.append(address) or True
    )
    file = tmp_path / "atlas.html"
    assert main(["explore", "-K", "100", "-n", "64", "-o", str(file)]) == 0
    assert opened == [f"{file.as_uri()}#K=100&n=64"]
    assert str(file) in capsys.readouterr().out.replace("\n", "")
    assert carried(file.read_text(encoding="utf-8"))["version"] == ps.__version__


def test_without_a_browser_it_says_where_the_page_is(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(webbrowser, "open", lambda address: False)
    monkeypatch.setattr(
        "protosphere.cli.explore.write_page",
        lambda path, progress: path.write_text("<p>") and path,
    )
    assert main(["explore"]) == 0
    assert "#K=1000&n=128" in capsys.readouterr().out
    assert main(["explore", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["file"] == "protosphere-atlas.html"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-o", "atlas.png"], "must end in .html"),
        (["-K", "1"], "from 2 to 1000000"),
        (["-n", "0"], "from 1 to 1024"),
        (["-o", "nowhere/atlas.html"], "no such folder"),
    ],
)
def test_bad_input_is_one_sentence(arguments, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["explore", "--no-open", *arguments]) == 2
    assert said in capsys.readouterr().err


def test_the_same_package_writes_the_same_bytes(data, tmp_path):
    assert page_html(data).encode() == write_page(tmp_path / "atlas.html").read_bytes()
