"""Rows of a batch shared out over threads, once for many operations.

torch shares out every single operation and waits for the slower thread after each. With twenty short operations a call
that is twenty times to wait, and where other processes want the processors too, most of the time.

The threads are torch's own, where its OpenMP is GNU's: those of a pool beside it would find the processors taken by
torch's, which turn idly for milliseconds after each operation, in case there is another. Right after a dense layer,
n = 256, K = 65,536, batch 64: 5.6 ms for a loss where those of a pool take 9.6.
"""

import ctypes
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache, partial
from itertools import count
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

from protosphere.nn.kernels.held_signals import HeldSignals
from protosphere.nn.tracing import is_traced, is_wrapped

Result = TypeVar("Result")

FEWEST_ROWS = 8
FEWEST_SCORES = 1 << 20
"""Scores of all rows from which a call takes milliseconds, and waking threads, a tenth of one, pays."""


def in_memory(z: Tensor) -> bool:
    """Whether its numbers can be looked at without waiting for a device: not those of a traced graph, for instance."""
    plain = z.device.type == "cpu" and type(z) in (Tensor, nn.Parameter)
    return plain and not is_traced() and not is_wrapped(z)


def without_autocast(z: Tensor) -> AbstractContextManager[object]:
    """Operations in the types of their arguments."""
    kind = z.device.type
    casts = torch.amp.is_autocast_available(kind) and torch.is_autocast_enabled(kind)
    return torch.autocast(kind, enabled=False) if casts else nullcontext()


def by_rows(work: Callable[[slice], Result], z: Tensor, num_words: int) -> list[Result]:
    """`work` done for stretches of the rows of z, in order; it computes `num_words` numbers for each of them.

    On a processor each stretch has a thread of its own, which does not share its operations out again; elsewhere, and
    for little work, there is one stretch. No gradients are recorded, and nothing is cast.
    """
    rows = len(z)
    pieces = min(torch.get_num_threads(), rows // FEWEST_ROWS) if in_memory(z) else 1
    if pieces < 2 or rows * num_words < FEWEST_SCORES:
        with torch.no_grad(), without_autocast(z):
            return [work(slice(0, rows))]
    inference = torch.is_inference_mode_enabled()

    def run(stretch: slice) -> Result:
        with torch.inference_mode(inference), torch.no_grad(), without_autocast(z):
            return work(stretch)

    jobs = [
        partial(run, slice(rows * i // pieces, rows * (i + 1) // pieces))
        for i in range(pieces)
    ]
    return _in_team(jobs) if _team_start() else _in_pool(jobs)


def gathered_rows(
    work: Callable[[slice], tuple[Tensor, Tensor]], z: Tensor, num_words: int
) -> tuple[Tensor, Tensor]:
    """Two tensors, one row each per row of z: what `by_rows` gives, the stretches below each other."""
    first, second = zip(*by_rows(work, z, num_words), strict=True)
    return torch.cat(first), torch.cat(second)


@lru_cache(maxsize=1)
def _team_start() -> Any:
    """GOMP_parallel(function, data, threads, flags) of the OpenMP that torch has loaded; None where there is none."""
    try:
        return ctypes.CDLL(
            "libgomp.so.1", mode=os.RTLD_NOLOAD | os.RTLD_NOW
        ).GOMP_parallel
    except (AttributeError, OSError):  # another system, or another OpenMP
        return None


def _in_team(jobs: list[Callable[[], Result]]) -> list[Result]:
    """What the jobs give, each from one of torch's threads; the first exception of one of them is raised."""
    numbers = count()
    given = dict[int, Result]()
    failed = list[BaseException]()
    signals = HeldSignals()

    def take_one(_: object = None) -> None:
        number = next(numbers)  # one call: no other thread gets the same
        if number < len(jobs):
            try:
                try:
                    signals.allow_here(True)
                    given[number] = jobs[number]()
                finally:
                    signals.allow_here(False)
            except BaseException as error:
                failed.append(error)

    member = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(take_one)
    with signals:
        _team_start()(member, None, len(jobs), 0)
    if failed:
        raise failed[0]
    # a team may be smaller than asked for
    return [
        given[number] if number in given else jobs[number]()
        for number in range(len(jobs))
    ]


def _in_pool(jobs: list[Callable[[], Result]]) -> list[Result]:
    """What the jobs give, each from a thread of the pool; the first exception of one of them is raised."""
    before = torch.get_num_threads()

    def run(job: Callable[[], Result]) -> Result:
        torch.set_num_threads(1)  # of this thread
        return job()

    given = [_pool(os.getpid(), before).submit(run, job) for job in jobs]
    try:
        wait(given)
    finally:
        torch.set_num_threads(before)  # of threads to come
    return [one.result() for one in given]


@lru_cache(maxsize=1)
def _pool(process: int, threads: int) -> ThreadPoolExecutor:
    """Threads that stay: starting them anew takes a fifth of a millisecond each. A forked process has its own."""
    del process
    return ThreadPoolExecutor(threads, thread_name_prefix="protosphere")
