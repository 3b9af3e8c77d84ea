"""Child processes that end when their parent ends, for whatever reason."""

import multiprocessing
import os
import threading
from multiprocessing.connection import wait


def end_with_parent() -> None:
    """Exit this process as soon as its parent ends, even by kill -9; nothing if Python did not start it.

    The system closes the parent's end of the pipe between the two processes. Waiting for that works on every system,
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
    """Return whether this is the only process of a run, or the first of those that torchrun started."""
    return os.environ.get("RANK", "0") == "0"
