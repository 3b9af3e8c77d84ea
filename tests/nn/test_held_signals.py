"""An exception of a signal handler, Ctrl-C for one, reaches the caller from wherever the work was."""

from __future__ import annotations

import gc
import random
import signal
import sys
import threading
import time

import pytest
import torch

from protosphere.nn.kernels import row_threads as threads
from protosphere.nn.kernels import threaded
from protosphere.nn.kernels.held_signals import HeldSignals

ITS_OWN = pytest.mark.skipif(
    not hasattr(signal, "setitimer"), reason="a timer that signals is of POSIX systems"
)
TEAM = pytest.mark.skipif(
    threads._team_start() is None, reason="this torch has no team of GNU's OpenMP"
)


class InterruptedByTestError(Exception):
    """What the handler raises."""


@pytest.fixture(autouse=True)
def usual_handler_of_ctrl_c():
    """Python's own, also where the tests run in the background of a shell, which ignores Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def interrupts():
    """How often the handler ran.

    Garbage collection waits: what a handler raises in a callback of the collector, as hypothesis
    installs one, is lost by Python itself.
    """
    came = []

    def handler(number, frame):
        came.append(number)
        raise InterruptedByTestError

    before = signal.signal(signal.SIGALRM, handler)
    gc.disable()
    yield came
    gc.enable()
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def run_until_interrupted(came, work):
    """Whether the exception of the handler got here."""
    try:
        signal.setitimer(signal.ITIMER_REAL, random.uniform(1e-4, 1e-3))
        while not came:
            work()
    except InterruptedByTestError:
        return True
    return False


@ITS_OWN
@TEAM
def test_no_interrupt_is_lost_in_a_team(interrupts, monkeypatch):
    ignored = []
    monkeypatch.setattr(sys, "unraisablehook", ignored.append)
    random.seed(0)
    for _ in range(100):
        interrupts.clear()
        assert run_until_interrupted(
            interrupts, lambda: threads._in_team([lambda: 1, lambda: 2])
        )
    assert not ignored


@ITS_OWN
@TEAM
def test_a_long_job_is_interrupted_at_once(interrupts):
    ends = time.monotonic() + 30
    here = threading.current_thread()

    def job():
        while threading.current_thread() is here and time.monotonic() < ends:
            pass

    assert run_until_interrupted(interrupts, lambda: threads._in_team([job, job]))
    assert time.monotonic() < ends


@TEAM
def test_a_team_gives_every_result_in_order():
    assert threads._in_team([lambda i=i: i * i for i in range(7)]) == [
        i * i for i in range(7)
    ]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    with pytest.raises(ZeroDivisionError):
        threads._in_team([lambda: 1, lambda: 1 // 0])


def test_signals_wait_for_the_end_of_the_block():
    seen = []

    def block():
        with HeldSignals():
            signal.raise_signal(signal.SIGINT)
            seen.append("after the signal")

    with pytest.raises(KeyboardInterrupt):
        block()
    assert seen == ["after the signal"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_another_thread_holds_nothing():
    before = []

    def look():
        with HeldSignals():
            before.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert before == [signal.default_int_handler]


def test_what_is_computed_stays_the_same_with_two_threads():
    z = torch.randn(64, 4, generator=torch.Generator().manual_seed(0))
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        pieces = threaded.by_rows(lambda rows: z[rows] * 2, z, 1 << 20)
    finally:
        torch.set_num_threads(before)
    assert torch.equal(torch.cat(pieces), z * 2)
