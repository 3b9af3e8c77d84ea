"""Processes that end when the process that started them does, however that one ended."""

import multiprocessing
import os
import threading
from multiprocessing.connection import wait


def end_with_parent() -> None:
    """End this process as soon as its parent is gone, by kill -9 too; nothing in a process that Python did not start.

    The system closes a parent's end of the pipe between the two. Waiting for that works on every system, and where the
    signals that a system offers for it are ignored.
    """
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def watch() -> None:
        wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def is_first_process() -> bool:
    """Whether this is the only process of a run, or the first of those that torchrun started."""
    return os.environ.get("RANK", "0") == "0"
