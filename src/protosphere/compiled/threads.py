"""The number of CPUs that this process may use, and single-threaded matrix products for reproducible results."""

import os
import sys
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from functools import lru_cache
from importlib import import_module
from threading import Lock
from typing import Any

_lock, _users, _limit = Lock(), dict[object, int | None](), ExitStack()
"""Lock and state of the thread limit, which applies to the whole process.

Each running `single_threaded` context has a key in `_users`; the value is torch's original number of threads. When the
last of these contexts ends, `_limit` restores numpy's number of threads.
"""


def processor_count() -> int:
    """Return the number of CPUs that this process may use."""
    if hasattr(os, "process_cpu_count"):  # Python 3.13
        return os.process_cpu_count() or 1  # pyright: ignore
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@lru_cache(maxsize=1)
def _libraries() -> Any:
    import_module("numpy")  # loaded, so that its library is found
    return import_module("threadpoolctl").ThreadpoolController()


@contextmanager
def single_threaded() -> Generator[None]:
    """Return a context manager in which matrix products of numpy and torch use one thread.

    The results of these matrix products are then the same in every bit, whatever the number of CPUs. Nothing is done
    for torch if it has not been imported.
    """
    torch = sys.modules.get("torch")
    user = object()
    with _lock:
        if not _users:
            _limit.enter_context(_libraries().limit(limits=1, user_api="blas"))
        before = next(iter(_users.values()), None) or (
            torch and torch.get_num_threads()
        )
        _users[user] = before
    try:
        if torch:
            torch.set_num_threads(1)
        yield
    finally:
        if torch:
            torch.set_num_threads(before)
        with _lock:
            del _users[user]
            if not _users:
                _limit.close()
