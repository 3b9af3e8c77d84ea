"""Sweeps: every run once, whatever happens to the processes that do them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from protosphere.cli import main
from protosphere.errors import InvalidArgumentError, StorageError
from protosphere.experiments.epochs import read_metrics
from protosphere.experiments.record import RunRecord
from protosphere.experiments.store import Store, read_table, records_at, write_table
from protosphere.experiments.sweep import in_this_process, pending, sweep
from protosphere.experiments.sweep_files import load_sweep, sweep_configs
from protosphere.experiments.workers import local_workers
from protosphere.storage.files import replace_file

HERE = Path(__file__).parent


@pytest.fixture
def configs():
    content = {
        "dataset": "digits",
        "epochs": 1,
        "train_images": 128,
        "schemes": ["one_hot", "bch"],
        "dims": [8, 10, 15],
    }
    return sweep_configs(content)


@pytest.mark.skipif(
    not hasattr(os, "fork"), reason="its children are forked, which Windows cannot do"
)
def test_killed_with_minus_nine_at_twenty_moments_a_full_disk_and_a_read_only_store():
    with tempfile.TemporaryDirectory() as folder:
        script = [sys.executable, str(HERE / "sweep_under_fire.py"), folder, "20"]
        ended = subprocess.run(
            script, capture_output=True, text=True, timeout=240, check=False
        )
    assert ended.returncode == 0, ended.stderr
    answer = json.loads(ended.stdout)
    peace = answer["peace"]
    assert sorted(status for status, _ in peace.values()) == ["done"] * 4 + [
        "infeasible"
    ]
    assert answer["kills"] >= 20
    assert all(fire == peace for fire in answer["fire"]), (
        "every run once, with the same weights"
    )
    assert answer["codes"] == [1, 1]
    assert "StorageError: cannot write" in ended.stderr
    assert "File too large" in ended.stderr
    assert "Permission denied" in ended.stderr
    assert answer["full"] == peace, "nothing was lost"


def test_infeasible_and_failed_runs_stop_nothing(digits, configs, tmp_path):
    plan = [configs[1].changed(lr=1e30, epochs=2), *configs]
    records = list(sweep(plan, digits, Store(tmp_path), in_this_process))
    assert [record.status for record in records].count("infeasible") == 3, (
        "one_hot at 8, bch at 8 and 10"
    )
    assert len(records) == 7
    failed = [
        record for record in Store(tmp_path).records() if record.status == "failed"
    ]
    assert [record.config.lr for record in failed] == [1e30]
    assert list(sweep(plan, digits, Store(tmp_path), in_this_process)) == [], (
        "all is answered"
    )


def test_other_data_and_failures_are_run_again(digits, configs, tmp_path):
    store = Store(tmp_path)
    store.add(RunRecord(configs[1], "done", data="other"))
    store.add(RunRecord(configs[2], "failed", "by chance", data=digits.digest))
    assert configs[1] in pending(configs, store, digits)
    assert configs[2] not in pending(configs, store, digits)
    assert configs[2] in pending(configs, store, digits, retry_failed=True)


def test_two_sweeps_do_not_share_a_store(digits, configs, tmp_path):
    with (
        Store(tmp_path).locked(),
        pytest.raises(StorageError, match="in use by another sweep"),
    ):
        next(sweep(configs, digits, Store(tmp_path), in_this_process))


def test_a_refused_sweep_leaves_what_the_first_is_writing(digits, configs, tmp_path):
    store = Store(tmp_path)

    def write(beside):
        with pytest.raises(StorageError, match="in use by another sweep"):
            next(sweep(configs, digits, Store(tmp_path), in_this_process))
        beside.write_text("{}")

    with store.locked():
        assert replace_file(store.record_folder / "a.json", write).read_text() == "{}"


def test_tables_go_out_and_come_back(digits, configs, tmp_path):
    changed = [
        configs[1].changed(scheme_options={}),
        configs[5].changed(scheme="bch", dim=8, scheme_options={"modify": True}),
    ]
    records = list(
        sweep([*configs, *changed], digits, Store(tmp_path / "store"), in_this_process)
    )
    path = write_table(records, tmp_path / "runs.csv")
    assert read_table(path) == records
    assert {record.digest for record in records_at(tmp_path / "store")} == {
        record.digest for record in records
    }
    parquet = pytest.importorskip("pyarrow.parquet")
    write_table(records, tmp_path / "runs.parquet")
    assert parquet.read_table(tmp_path / "runs.parquet").num_rows == len(records)
    with pytest.raises(InvalidArgumentError, match=r"must end in \.csv or \.parquet"):
        write_table(records, tmp_path / "runs.xlsx")


def test_records_changed_by_hand_are_refused(configs, tmp_path):
    store = Store(tmp_path)
    store.add(RunRecord(configs[0], "done", test_accuracy=0.5))
    (path,) = store.record_folder.iterdir()
    path.write_text(path.read_text().replace('"epochs": 1', '"epochs": 2'))
    with pytest.raises(StorageError, match="changed by hand"):
        store.records()
    path.write_text("{")
    with pytest.raises(StorageError, match="not the record of a run"):
        store.records()
    with pytest.raises(StorageError, match="there is no such folder"):
        records_at(tmp_path / "none")
    (tmp_path / "other.csv").write_text("height,weight\n1,2\n")
    with pytest.raises(StorageError, match="not the record of a run: it has no digest"):
        read_table(tmp_path / "other.csv")


@pytest.mark.parametrize("setting", [{"seed": 7}, {"lr": 0.25}, {"dim": 12}], ids=str)
def test_a_record_under_the_name_of_another_configuration_is_refused(
    configs, tmp_path, setting
):
    store = Store(tmp_path)
    asked = configs[0]
    other = RunRecord(asked.changed(**setting), "done", test_accuracy=0.99)
    store.add(other)
    (store.record_folder / f"{other.digest}.json").rename(
        store.record_folder / f"{asked.digest}.json"
    )
    for read in (
        lambda: store.get(asked.digest),
        store.records,
        lambda: store.records_of([asked]),
    ):
        with pytest.raises(StorageError, match=other.digest):
            read()


def sweep_command(file, store):
    command = [
        sys.executable,
        "-m",
        "protosphere",
        "sweep",
        str(file),
        "--workers",
        "2",
        "--store",
        str(store),
    ]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    return subprocess.Popen(
        command,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )


def until(condition, seconds=300.0):
    begun = time.monotonic()
    while not condition():
        assert time.monotonic() - begun < seconds
        time.sleep(0.02)


@pytest.mark.skipif(
    not Path("/proc").is_dir(),
    reason="finds the workers to kill in /proc, which Linux alone has",
)
def test_workers_killed_and_the_sweep_killed(digits, tmp_path):
    file = tmp_path / "two.toml"
    store = Store(tmp_path / "store")
    file.write_text(
        'dataset = "digits"\nepochs = 30\nschemes = ["one_hot", "simplex"]\ndims = [10]\n'
    )
    configs = load_sweep(file)
    process = sweep_command(file, store.folder)
    until(
        lambda: all(
            len(read_metrics(store.work_folder(config.digest))) >= 2
            for config in configs
        )
    )
    workers = children_of(process.pid)
    os.kill(workers[0], signal.SIGKILL)  # one worker: it is replaced
    process.kill()  # and then the sweep itself
    process.communicate()
    until(lambda: not any(map(alive, workers)))
    assert len(workers) == 2
    assert len(store.records()) < 2
    for _ in sweep(configs, digits, store, in_this_process):
        pass
    fresh = list(sweep(configs, digits, Store(tmp_path / "fresh"), in_this_process))
    assert {r.weights for r in store.records()} == {r.weights for r in fresh}


DEADLY = """
import os
from pathlib import Path
from torch import nn

def network(dim):
    flag = Path(os.environ["FLAG"])
    if not flag.exists():
        flag.touch()
        os._exit(9)
    return nn.Sequential(nn.Flatten(), nn.Linear(64, dim))
"""


def test_a_worker_that_dies_is_replaced(digits, tiny, tmp_path, monkeypatch):
    (tmp_path / "deadly.py").write_text(DEADLY)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FLAG", str(tmp_path / "flag"))
    plan = [tiny.changed(epochs=1, backbone="deadly.network")]
    (record,) = sweep(plan, digits, Store(tmp_path / "store"), local_workers(2))
    assert record.reason is None
    assert record.status == "done"


class InterruptedSweep:
    """An engine during which somebody presses Ctrl-C."""

    def __call__(self, work):
        yield from ()
        raise KeyboardInterrupt


def test_an_interrupt_says_how_to_go_on(configs, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("protosphere.cli.sweeping.in_this_process", InterruptedSweep())
    file = tmp_path / "sweep.toml"
    file.write_text('dataset = "digits"\nschemes = ["one_hot"]\ndims = [10]\n')
    assert main(["sweep", str(file), "--store", str(tmp_path / "store")]) == 130
    assert (
        "0 of 1 runs are done; the same command goes on from here"
        in capsys.readouterr().err
    )


def alive(process):
    try:
        return (
            Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
            != "Z"
        )
    except OSError:
        return False


def children_of(parent):
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == parent:
            command = (stat.parent / "cmdline").read_text()
            if "spawn_main" in command:
                found.append(int(stat.parent.name))
    return found
