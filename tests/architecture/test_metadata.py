"""Metadata of the package as an index shows them: addresses, and a description without relative links."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from email import message_from_string
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TARGETS = (
    re.compile(r"\]\(\s*<?([^)\s>]+)"),
    re.compile(r"^\[[^\]]+\]:\s+(\S+)", re.M),
    re.compile(r"""\b(?:src|href)=["']([^"']+)"""),
)
BUILD = "import sys; from hatchling.build import prepare_metadata_for_build_wheel as p; print(p(sys.argv[1]))"
FOR_DEVELOPERS = {"docs", "dev", "glyphs", "page-test"}
FORMS = """
![picture](docs/a.png "title") [link](docs/a.md#part) [![badge](b.svg)](LICENSE) [elsewhere](https://example.org/x)
[part](#part) <img src="docs/c.png" width="10"> <a href='docs/d.md'>d</a> [named][name]

[name]: docs/e.md
"""


def targets(text):
    """Where the links and pictures of a text in Markdown lead."""
    return [target for pattern in TARGETS for target in pattern.findall(text)]


def metadata(project, folder):
    """The metadata that the project's build backend writes, and the description in it."""
    command = [sys.executable, "-c", BUILD, str(folder)]
    ended = subprocess.run(
        command, cwd=project, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    (file,) = folder.glob("*.dist-info/METADATA")
    return message_from_string(file.read_text(encoding="utf-8"))


def copy_of_project(folder, readme):
    """A project with our pyproject.toml, another README and no sources but the version."""
    for name in ("pyproject.toml", "LICENSE", "src/protosphere/version.py"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes((ROOT / name).read_bytes())
    (folder / "README.md").write_text(readme, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    return metadata(ROOT, tmp_path_factory.mktemp("metadata"))


def test_the_metadata_name_repository_documentation_changelog_and_issues(built):
    addresses = dict(line.split(", ") for line in built.get_all("Project-URL", []))
    assert {"Repository", "Documentation", "Changelog", "Issues"} <= set(addresses)
    assert all(address.startswith("https://") for address in addresses.values())


def test_the_description_of_the_package_has_no_relative_link_or_picture(built):
    assert built["Description-Content-Type"] == "text/markdown"
    found = targets(built.get_payload())
    assert (
        len(found) == len(targets((ROOT / "README.md").read_text(encoding="utf-8"))) > 0
    )
    assert [
        target for target in found if not target.startswith(("https://", "#"))
    ] == []


def test_links_in_the_description_lead_to_files_of_the_repository(built):
    ours = re.compile(
        r"https://(?:raw\.githubusercontent|github)\.com/protosphere/protosphere/(?:blob/)?main/([^#]+)"
    )
    found = [
        match[1] for match in map(ours.match, targets(built.get_payload())) if match
    ]
    assert found
    assert [path for path in found if not (ROOT / path).exists()] == []


def test_every_form_of_a_relative_link_becomes_absolute(tmp_path):
    project = copy_of_project(tmp_path / "project", FORMS)
    text = metadata(project, tmp_path).get_payload()
    raw = "https://raw.githubusercontent.com/protosphere/protosphere/main/"
    shown = "/protosphere/blob/main/"
    found = targets(text)
    assert {path for path in found if path.startswith(raw)} == {
        f"{raw}{name}" for name in ("docs/a.png", "b.svg", "docs/c.png")
    }
    pages = {path.partition(shown)[2] for path in found if shown in path}
    assert pages == {"docs/a.md#part", "LICENSE", "docs/d.md", "docs/e.md"}
    assert {path for path in found if path in ("#part", "https://example.org/x")} == {
        "#part",
        "https://example.org/x",
    }


def extras():
    """The extras of the package, each with what it requires."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))[
        "project"
    ]
    return project["optional-dependencies"]


def test_the_extra_of_all_leaves_out_ray_alone():
    (line,) = extras()["all"]
    included = set(re.findall(r"[\w-]+", line.partition("[")[2]))
    assert set(extras()) - FOR_DEVELOPERS - {"all"} - included == {"ray"}
