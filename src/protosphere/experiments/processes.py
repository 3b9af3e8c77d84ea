"""End child processes when their parent ends, even if the parent is killed."""

import multiprocessing
import os
import threading
import time
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess

SECONDS_TO_STOP = 10.0
"""Seconds that interrupted processes have to report their progress and to close their files."""


def end_with_parent() -> None:
    """Start a thread that ends this process as soon as its parent process ends, even if the parent is killed.

    If this process was not started by Python's multiprocessing, the function does nothing. The thread waits until the
    operating system closes the parent's end of the pipe between the two processes. So no signals are needed, and the
    function works on every operating system.
    """
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def watch() -> None:
        wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def end_children(seconds: float = SECONDS_TO_STOP) -> None:
    """Kill all child processes of this process that do not end by themselves within a number of seconds.

    Ctrl-C in a terminal reaches the children too and normally ends them. But a child that waits for an ended process,
    or that did not receive the Ctrl-C, would keep this process from exiting.

    Args:
        seconds: Time after which the remaining children are killed.
    """
    children = multiprocessing.active_children()
    try:
        _join_all(children, seconds)
    finally:  # after a second Ctrl-C, too
        for child in children:
            child.kill()
        _join_all(children, seconds)


def _join_all(children: list[BaseProcess], seconds: float) -> None:
    end = time.monotonic() + seconds
    for child in children:
        child.join(max(0.0, end - time.monotonic()))


def is_first_process() -> bool:
    """Return False if torchrun started this process with a rank other than 0; otherwise return True."""
    return os.environ.get("RANK", "0") == "0"
