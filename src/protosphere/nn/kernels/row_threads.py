"""Run several jobs in parallel, each on one thread. A job applies many operations to some rows of a batch.

torch divides every single operation among its threads and waits for the slowest thread after each operation. A call of
twenty short operations waits twenty times, which dominates the time if other processes use the CPUs too.

If torch uses GNU OpenMP, the jobs run on torch's own threads. After each operation, torch's threads wait actively for
some milliseconds and would compete with the threads of a separate pool. For n = 256, K = 65,536 and batch 64, a loss
directly after a dense layer takes 5.6 ms on torch's threads and 9.6 ms on a separate pool.
"""

import ctypes
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from functools import lru_cache
from itertools import count
from typing import Any, TypeVar

import torch

from protosphere.nn.kernels.held_signals import HeldSignals

Result = TypeVar("Result")


def run_jobs(jobs: list[Callable[[], Result]]) -> list[Result]:
    """Run the jobs in parallel, each on one thread, and return their results in the order of the jobs.

    Args:
        jobs: Functions without arguments. Their tensor operations run on a single thread.

    Raises:
        BaseException: If a job raises an exception. If several jobs do, one of their exceptions is raised.
    """
    if _team_start() is None:
        return _in_pool(jobs)
    return _in_team(jobs)


@lru_cache(maxsize=1)
def _team_start() -> Any:
    try:  # GNU OpenMP, if torch has loaded it
        return ctypes.CDLL(
            "libgomp.so.1", mode=os.RTLD_NOLOAD | os.RTLD_NOW
        ).GOMP_parallel
    except (AttributeError, OSError):  # another operating system, or another OpenMP
        return None


def _in_team(jobs: list[Callable[[], Result]]) -> list[Result]:
    numbers = count()
    given = dict[int, Result]()
    failed = list[BaseException]()
    signals = HeldSignals()

    def take_one(_: object = None) -> None:
        number = next(numbers)  # a single call, so no other thread gets the same number
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
        # a function, a pointer to data, the number of threads, and flags
        _team_start()(member, None, len(jobs), 0)
    if failed:
        raise failed[0]
    # the team may have fewer threads than jobs
    return [
        given[number] if number in given else jobs[number]()
        for number in range(len(jobs))
    ]


def _in_pool(jobs: list[Callable[[], Result]]) -> list[Result]:
    before = torch.get_num_threads()

    def run(job: Callable[[], Result]) -> Result:
        torch.set_num_threads(1)  # for operations of this thread
        return job()

    given = [_pool(os.getpid(), before).submit(run, job) for job in jobs]
    try:
        wait(given)
    finally:
        torch.set_num_threads(before)  # for operations of later threads
    return [one.result() for one in given]


@lru_cache(maxsize=1)
def _pool(process: int, threads: int) -> ThreadPoolExecutor:
    # The process is only a key of the cache, so that a forked process gets a pool of its own. Pools are cached because
    # starting a thread takes 0.2 ms.
    del process
    return ThreadPoolExecutor(threads, thread_name_prefix="protosphere")
