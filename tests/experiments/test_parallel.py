"""Two processes that share each batch, against one."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time

import pytest

from protosphere.compiled.threads import processor_count
from protosphere.errors import InvalidArgumentError
from protosphere.experiments import load_config
from protosphere.experiments.devices import make_fabric
from protosphere.experiments.epochs import read_metrics
from protosphere.experiments.run import run
from protosphere.experiments.store import Store
from protosphere.storage.files import locked

SETTINGS = {
    "epochs": 3,
    "scheme": "simplex",
    "dim": 9,
    "train_images": 500,
    "batch_size": 63,
}


def alive(process):
    """Whether a process is there and not a zombie."""
    try:
        status = subprocess.run(
            ["ps", "-o", "stat=", "-p", str(process)],
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError:
        pytest.skip("there is no ps")
    return status.stdout.strip()[:1] not in ("", "Z")


def children(process):
    listed = subprocess.run(
        ["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True
    ).stdout
    pairs = [tuple(map(int, line.split())) for line in listed.splitlines()]
    return [pid for pid, parent in pairs if parent == process]


def eventually(condition, seconds=120):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.1)
    return False


@contextlib.contextmanager
def training_in_two_processes(store, on_interrupt):
    """A run that would take hours, its child processes and its folder; all are gone at the end."""
    config = load_config("quick-digits").changed(
        epochs=100000, scheme="simplex", dim=9, train_images=200
    )
    words = "train digits --epochs 100000 --scheme simplex --dim 9 --train-images 200 --devices 2"
    command = [*(sys.executable, "-m", "protosphere"), *words.split()]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "MASTER_ADDR": "127.0.0.1"}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    handler = {"preexec_fn": lambda: signal.signal(signal.SIGINT, on_interrupt)}
    started = subprocess.Popen(
        [*command, "--store", str(store)], env=environment, **quiet, **handler
    )
    ranks = []
    folder = Store(store).work_folder(config.digest)
    try:
        assert eventually(lambda: read_metrics(folder))
        ranks = children(started.pid)
        assert len(ranks) >= 2
        yield started, ranks, folder
    finally:
        for process in (started.pid, *ranks):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        started.wait()


needs_signals = pytest.mark.skipif(
    not hasattr(signal, "SIGKILL") or shutil.which("ps") is None,
    reason="needs kill -9 and ps",
)


@needs_signals
def test_processes_of_a_killed_run_end_and_the_same_command_goes_on(tmp_path):
    as_in_background = signal.SIG_IGN  # as a shell's background jobs have it
    store = tmp_path / "run"
    with training_in_two_processes(store, as_in_background) as (started, ranks, folder):
        started.kill()
        started.wait()
        assert eventually(lambda: not any(map(alive, ranks)), 30)
        with locked(folder, "run"):
            pass


@needs_signals
def test_an_interrupt_of_the_first_process_alone_ends_all(tmp_path):
    """A rank that waits for another which is gone does not hear of Ctrl-C either."""
    store = tmp_path / "run"
    with training_in_two_processes(store, signal.SIG_DFL) as (started, ranks, folder):
        started.send_signal(signal.SIGINT)
        assert started.wait(60) == 130
        assert eventually(lambda: not any(map(alive, ranks)), 30)
        with locked(folder, "run"):
            pass


def test_more_processes_than_cpus_are_refused_in_one_sentence():
    most = processor_count()
    for devices in (most + 1, 99, 10**6):
        with pytest.raises(
            InvalidArgumentError,
            match=rf"'devices' must be at most {most}, .* got {devices}",
        ):
            make_fabric("cpu", "32-true", devices)


@pytest.mark.parametrize("accelerator", ["cuda", "mps", "gpu", "tpu"])
def test_an_accelerator_that_is_not_there_is_refused_in_our_own_words(
    accelerator, monkeypatch
):
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    monkeypatch.setattr("torch.backends.mps.is_available", lambda: False)
    with pytest.raises(InvalidArgumentError, match=r"'accelerator'.*cpu") as refusal:
        make_fabric(accelerator, "32-true")
    assert "devices" not in str(refusal.value)
    assert "Fabric" not in str(refusal.value)


def test_half_precision_that_cpus_do_not_have_is_refused():
    config = load_config("quick-digits").changed(precision="16-mixed")
    with pytest.raises(InvalidArgumentError, match="'16-mixed' needs a GPU"):
        make_fabric("cpu", config.precision)


def test_two_processes_give_the_loss_curve_of_one(digits, fabric, tmp_path):
    config = load_config("quick-digits").changed(**SETTINGS)
    run(config, digits, tmp_path / "one", fabric, tensorboard=False)
    flags = [
        word
        for name, value in SETTINGS.items()
        for word in (f"--{name.replace('_', '-')}", str(value))
    ]
    words = [
        "train",
        "digits",
        *flags,
        "--devices",
        "2",
        "--store",
        str(tmp_path / "two"),
    ]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "MASTER_ADDR": "127.0.0.1"}
    command = [sys.executable, "-m", "protosphere", *words]
    for _ in range(
        2
    ):  # on a busy machine gloo has been seen to abort a process that was done
        ended = subprocess.run(
            command,
            capture_output=True,
            text=True,
            env=environment,
            timeout=240,
            check=False,
        )
        if "SIGABRT" not in ended.stderr:
            break
    assert ended.returncode == 0, ended.stderr[-2000:]
    store = Store(tmp_path / "two")
    (record,) = store.records()
    assert record.config == config
    one = read_metrics(tmp_path / "one")
    two = read_metrics(store.work_folder(config.digest))
    assert len(one) == 3
    assert [epoch.loss for epoch in two] == pytest.approx(
        [epoch.loss for epoch in one], abs=1e-4
    )
