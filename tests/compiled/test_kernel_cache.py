"""Compiled loops work wherever they cannot be kept, and what is kept is never stale, damaged or another's."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import protosphere
from protosphere.compiled import kernel_cache
from protosphere.storage import files

PACKAGE = Path(protosphere.__file__).parent


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    if not hasattr(os, "fork"):
        pytest.skip("forks")
    command = [
        sys.executable,
        str(Path(__file__).with_name("kernels_in_trouble.py")),
        str(tmp_path_factory.mktemp("kernels")),
    ]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


@pytest.mark.parametrize("place", ["nowhere", "not a folder"])
def test_without_a_place_loops_are_compiled_in_memory_and_that_is_said_once(
    answers, place
):
    answer = answers[place]
    assert (answer["value"], answer["loaded"], answer["files"]) == (3.0, 0, None)
    [line] = answer["said"]
    assert line.startswith("compiled loops are not cached")


def test_a_second_process_loads_what_the_first_compiled(answers):
    first = answers["first"]
    second = answers["second"]
    assert (first["loaded"], second["loaded"]) == (0, 1)
    assert first["value"] == second["value"] == 3.0
    assert first["files"] == second["files"]
    assert len(first["files"]) == 1
    assert first["said"] == second["said"] == []


def test_it_is_the_users_cache_unless_another_is_named(answers):
    assert "/home/.cache/protosphere/kernels/" in answers["home"]["folder"]
    assert f"/kernels/{protosphere.__version__}-" in answers["first"]["folder"]


def test_a_full_disk_is_said_once_and_leaves_nothing_half(answers):
    answer = answers["full"]
    assert (answer["value"], answer["files"]) == (3.0, [])
    [line] = answer["said"]
    assert "File too large" in line


def test_a_damaged_file_is_compiled_anew_and_mended(answers):
    for answer in answers["damaged"]:
        assert (answer["value"], answer["loaded"], answer["mended"]) == (3.0, 0, True)
        assert answer["said"] == []


def test_a_folder_that_others_may_write_into_is_not_used(answers):
    answer = answers["others"]
    assert (answer["value"], answer["loaded"], answer["files"]) == (3.0, 0, None)
    assert "others may write into" in answer["said"][0]


def test_eight_processes_compile_at_once(answers):
    assert [answer["value"] for answer in answers["at once"]] == [3.0] * 8
    assert not any(answer["said"] for answer in answers["at once"])
    assert answers["after"]["loaded"] == 1
    assert len(answers["after"]["files"]) == 1


def test_without_a_home_there_is_no_folder(monkeypatch, caplog):
    monkeypatch.setattr(kernel_cache, "cache_folder", lambda: None)
    monkeypatch.setattr(kernel_cache, "_reasons", [])
    monkeypatch.setattr(kernel_cache.config, "CACHE_DIR", "")
    assert kernel_cache.kernel_folder.__wrapped__() is None
    assert "there is no home folder" in caplog.text


def test_a_home_that_cannot_be_found_is_none(monkeypatch):
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    assert files.cache_folder() is None


def test_folders_of_old_versions_go_when_a_new_one_comes(tmp_path, monkeypatch):
    old = tmp_path / "protosphere" / "kernels" / "0.0.1-old"
    used = tmp_path / "protosphere" / "kernels" / "0.0.2-used"
    old.mkdir(parents=True)
    used.mkdir()
    os.utime(old, (1e9, 1e9))
    monkeypatch.setattr(kernel_cache.config, "CACHE_DIR", str(tmp_path))
    new = kernel_cache.kernel_folder.__wrapped__()
    assert sorted(tmp_path.rglob("0.*")) == sorted([used, new])
    assert new.stat().st_mode & 0o777 == 0o700


CALLER = """
import numpy as np
from protosphere.search.compiled_lbfgs import push_pair
moves, turns, rho = np.zeros((8, 3)), np.zeros((8, 3)), np.zeros(8)
push_pair(1.0, np.ones(3), np.zeros(3), np.ones(3), moves, turns, rho, 0)
print(1 / rho[0])
"""


def test_a_kernel_in_another_file_is_never_stale(tmp_path):
    shutil.copytree(
        PACKAGE,
        tmp_path / "protosphere",
        ignore=shutil.ignore_patterns("__pycache__", "*.csv", "*.npz", "assets"),
    )
    environment = os.environ | {
        "PYTHONPATH": str(tmp_path),
        "NUMBA_CACHE_DIR": str(tmp_path / "cache"),
    }
    environment["PYTHONDONTWRITEBYTECODE"] = (
        "1"  # Python's own bytecode goes by times and sizes
    )

    def called():
        command = [sys.executable, "-c", CALLER]
        return float(
            subprocess.run(
                command, env=environment, capture_output=True, check=True, cwd=tmp_path
            ).stdout
        )

    assert called() == called() == 3.0
    inner = tmp_path / "protosphere" / "search" / "compiled_energy.py"
    status = inner.stat()
    text = inner.read_text()
    changed = text.replace(
        "total = 0.0\n    for k in range(len(a)):",
        "total = 4.0\n    for k in range(len(a)):",
        1,
    )
    assert len(changed) == len(text)
    assert changed != text
    inner.write_text(changed)
    os.utime(
        inner, ns=(status.st_atime_ns, status.st_mtime_ns)
    )  # an upgrade may keep times and sizes
    assert called() == 7.0


def test_the_options_of_the_compiler_are_part_of_the_key(monkeypatch):
    read = Path.read_bytes
    before = kernel_cache._key()
    monkeypatch.setattr(
        Path,
        "read_bytes",
        lambda path: read(path) + b"#" * (path.name == "decorators.py"),
    )
    assert kernel_cache._key() != before


def test_kernels_depend_on_sources_of_kernels_alone():
    kernels = {
        path
        for path in PACKAGE.rglob("*.py")
        if "from protosphere.compiled.decorators import" in path.read_text()
        and path.parent.name != "compiled"
    }
    assert len(kernels) >= 4
    names = {
        ".".join(("protosphere", *path.relative_to(PACKAGE).with_suffix("").parts))
        for path in kernels
    }
    names |= {
        "protosphere.compiled.decorators",
        "protosphere.types",
        "protosphere.errors",
    }
    for path in kernels:
        assert (
            set(
                re.findall(
                    r"^from (protosphere\S*) import", path.read_text(), re.MULTILINE
                )
            )
            <= names
        ), path
