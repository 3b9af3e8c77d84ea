"""The processors of this machine: how many this process may use, and work kept to one of them for its bits."""

import os
import sys
from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import lru_cache
from importlib import import_module
from threading import Lock
from typing import Any


def processor_count() -> int:
    """How many this process may use, by whatever the system can say.

    >>> processor_count() >= 1
    True
    """
    if hasattr(os, "process_cpu_count"):  # Python 3.13
        return os.process_cpu_count() or 1  # pyright: ignore
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _OneThread:
    """Products of numpy by one thread while anybody wants it so: the number is one for the whole process."""

    def __init__(self) -> None:
        self.lock, self.users = Lock(), 0
        self.limit: AbstractContextManager[object] = nullcontext()

    def enter(self) -> None:
        with self.lock:
            self.users += 1
            if self.users == 1:
                self.limit = _libraries().limit(limits=1, user_api="blas")
                self.limit.__enter__()

    def leave(self) -> None:
        with self.lock:
            self.users -= 1
            if self.users == 0:
                self.limit.__exit__(None, None, None)


_one_thread = _OneThread()


@lru_cache(maxsize=1)
def _libraries() -> Any:
    """What multiplies matrices for numpy."""
    import numpy as np

    del np  # loaded, so that its library is found
    return import_module("threadpoolctl").ThreadpoolController()


@contextmanager
def single_threaded() -> Generator[None]:
    """Matrix products of numpy, and of torch where it is loaded, by one thread: how many do it changes last bits."""
    torch = sys.modules.get("torch")
    before = torch and torch.get_num_threads()
    _one_thread.enter()
    try:
        if torch:
            torch.set_num_threads(1)
        yield
    finally:
        if torch:
            torch.set_num_threads(before)
        _one_thread.leave()
