"""Delay signal handlers, such as the handler of Ctrl-C, while C code calls back into Python.

Python may run a signal handler between any two instructions of the main thread. If the handler raises an exception in a
callback of ctypes, outside of a `try` statement, Python prints "Exception ignored" and continues. The exception and the
result of the callback are then lost.
"""

from __future__ import annotations

import signal
import threading
from contextlib import ExitStack
from types import FrameType
from typing import Any

HELD = tuple(
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGALRM")
    if hasattr(signal, name)
)
"""Signals whose handlers often raise exceptions: Ctrl-C, termination and timeout."""


class HeldSignals(ExitStack):
    """Context manager that delays the handlers of SIGINT (Ctrl-C), SIGTERM and SIGALRM until the context ends.

    Inside the context, `allow_here(True)` lets handlers run immediately, and `allow_here(False)` delays them again.
    Python runs signal handlers only in the main thread. In other threads, the context manager does nothing.
    """

    def __init__(self) -> None:
        super().__init__()
        self.interruptible = False
        self._waiting: list[tuple[int, FrameType | None]] = []
        self._handlers: dict[int, Any] = {}

    def __enter__(self) -> HeldSignals:
        if threading.current_thread() is not threading.main_thread():
            return self
        self.callback(
            self._call_waiting
        )  # runs last, after all handlers have been restored
        try:
            for number in HELD:
                self._replace_handler(number)
        except BaseException:  # raised by a handler that is not replaced yet
            self.close()
            raise
        return self

    def _replace_handler(self, number: int) -> None:
        handler = signal.getsignal(number)
        if callable(handler):
            self._handlers[number] = handler
            self.callback(signal.signal, number, handler)
            signal.signal(number, self._hold)

    def allow_here(self, interruptible: bool) -> None:
        """Let signal handlers run immediately, or delay them again.

        Outside the main thread, the method does nothing.

        Args:
            interruptible: If True, handlers that were delayed run now, and later ones run immediately. If False,
                handlers are delayed again.
        """
        if threading.current_thread() is not threading.main_thread():
            return
        self.interruptible = interruptible
        if interruptible:
            self._call_waiting()

    def _hold(self, number: int, frame: FrameType | None) -> None:
        if not self.interruptible:
            self._waiting.append((number, frame))
            return
        self.interruptible = False  # until the exception has been caught
        self._handlers[number](number, frame)
        self.interruptible = True

    def _call_waiting(self) -> None:
        while self._waiting:
            number, frame = self._waiting.pop(0)
            self._handlers[number](number, frame)
