"""Files that replace others, what killed writers leave, and the right to change a folder or a file."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest

from protosphere.errors import InvalidArgumentError, StorageError
from protosphere.storage.files import locked, replace_bytes, replace_file

KILLED = """
import os, signal, sys
from pathlib import Path
from protosphere.storage.files import replace_file

def write(beside):
    beside.write_bytes(b"half")
    print(beside.name, flush=True)
    sys.stdin.read() if sys.argv[2] == "wait" else os.kill(os.getpid(), 9)

replace_file(Path(sys.argv[1]), write)
"""

HOLD = """
import sys
from pathlib import Path
from protosphere.storage.files import locked

with locked(Path(sys.argv[1]), "sweep"):
    print("held", flush=True)
    sys.stdin.read()
"""


def started(script, *arguments):
    command = [sys.executable, "-c", script, *map(str, arguments)]
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def test_what_a_killed_writer_left_goes_with_the_next_and_what_a_living_one_writes_stays(
    tmp_path,
):
    killed = started(KILLED, tmp_path / "a.json", "die")
    killed.communicate()
    assert any(tmp_path.glob(".a.json.*.part"))
    (tmp_path / ".mnist.gz.part").write_bytes(b"a download, to be continued")
    living = started(KILLED, tmp_path / "b.json", "wait")
    name = living.stdout.readline().strip()
    replace_bytes(tmp_path / "c.json", b"whole")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        [".mnist.gz.part", name, "c.json"]
    )
    living.communicate()
    assert (tmp_path / "b.json").read_bytes() == b"half"


def test_a_stranger_machines_half_file_stays_for_a_day(tmp_path):
    fresh, old = (tmp_path / f".x.json.0123abcd-1-{number}.part" for number in (0, 1))
    fresh.touch()
    old.touch()
    os.utime(old, (1e9, 1e9))
    replace_bytes(tmp_path / "y.json", b"")
    assert sorted(path.name for path in tmp_path.iterdir()) == [fresh.name, "y.json"]


def test_threads_write_one_file_at_once_and_one_of_them_wins_whole(tmp_path):
    together = threading.Barrier(2)

    def write(letter):
        def half_then_half(beside):
            with beside.open("wb") as file:
                file.write(letter * 1000)
                together.wait(timeout=30)
                file.write(letter * 1000)

        replace_file(tmp_path / "x", half_then_half)

    threads = [
        threading.Thread(target=write, args=(letter,)) for letter in (b"a", b"b")
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (tmp_path / "x").read_bytes() in (b"a" * 2000, b"b" * 2000)
    assert len(list(tmp_path.iterdir())) == 1


def test_a_sentence_of_the_writer_is_not_wrapped_in_another(tmp_path):
    def write(beside):
        raise InvalidArgumentError("nothing to write")

    with pytest.raises(InvalidArgumentError, match=r"^nothing to write$"):
        replace_file(tmp_path / "x", write)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", [".", "atlas.csv"])
def test_a_second_is_refused_until_the_first_ends_or_is_killed(tmp_path, name):
    path = tmp_path / name
    refusal = "is in use by another sweep; wait for it, or choose another " + (
        "folder" if name == "." else "file"
    )
    with (
        locked(path, "sweep"),
        pytest.raises(StorageError, match=refusal),
        locked(path, "sweep"),
    ):
        pass
    holder = started(HOLD, path)
    assert holder.stdout.readline() == "held\n"
    with pytest.raises(StorageError, match=refusal), locked(path, "sweep"):
        pass
    holder.kill()
    holder.communicate()
    with locked(path, "sweep"):
        pass


def test_links_in_a_circle_are_one_sentence(tmp_path):
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    with pytest.raises(
        StorageError, match=r"Too many levels of symbolic links|Symlink loop"
    ):
        replace_file(loop, lambda beside: beside.touch())
    with (
        pytest.raises(
            StorageError, match=r"Too many levels of symbolic links|Symlink loop"
        ),
        locked(loop, "sweep"),
    ):
        pass


def test_a_folder_that_may_not_be_written_to_is_named(tmp_path):
    (tmp_path / "lock").mkdir()
    with (
        pytest.raises(StorageError, match=r"cannot write '.*lock'"),
        locked(tmp_path, "sweep"),
    ):
        pass


@pytest.mark.skipif(os.name != "posix", reason="other systems have no such modes")
@pytest.mark.parametrize("umask", [0o022, 0o000, 0o077])
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o400, 0o644, 0o664, None])
def test_a_half_written_file_is_never_open_to_more_users_than_the_file_it_replaces(
    tmp_path, mode, umask
):
    target = tmp_path / "secret"
    if mode is not None:
        target.write_bytes(b"old")
        target.chmod(mode)
    seen = []

    def write(beside):
        seen.append(beside.stat().st_mode & 0o777)
        beside.write_bytes(b"new")
        seen.append(beside.stat().st_mode & 0o777)

    before = os.umask(umask)
    try:
        replace_file(target, write)
    finally:
        os.umask(before)
    usual = 0o666 & ~umask
    for found in seen:
        assert found & 0o077 & ~(usual if mode is None else mode) == 0
    assert target.stat().st_mode & 0o777 == (usual if mode is None else mode)
    assert target.read_bytes() == b"new"
