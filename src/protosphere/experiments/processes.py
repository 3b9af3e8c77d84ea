"""Child processes that end when their parent ends, even if the parent is killed."""

import multiprocessing
import os
import threading
from multiprocessing.connection import wait


def end_with_parent() -> None:
    """Start a thread that exits this process as soon as its parent ends, even by kill -9.

    Without a parent that uses Python's multiprocessing, nothing is started. When the parent ends, the operating
    system closes the parent's end of the pipe between the two processes. Waiting for that works on every system,
    without signals.
    """
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def watch() -> None:
        wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def is_first_process() -> bool:
    """Return True in the only process of a run, and in the first process that torchrun started."""
    return os.environ.get("RANK", "0") == "0"
