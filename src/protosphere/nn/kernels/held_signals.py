"""Exceptions of signal handlers, such as Ctrl-C, while Python is called from C, where an exception would be lost.

Handlers run between any two instructions of the main thread. In a callback of ctypes, whatever they raise outside of a
`try` is printed as "Exception ignored" and forgotten: the interrupt is lost, and with it the work of that callback.
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
"""Signals whose handlers commonly raise: Ctrl-C, a polite end, a timeout."""


class HeldSignals(ExitStack):
    """In its `with` block, handlers wait: until the end of the block, or until `allow_here(True)`.

    Only the main thread runs handlers, so elsewhere this does nothing.
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
        )  # last, after all of them are back in their places
        try:
            for number in HELD:
                self._replace_handler(number)
        except BaseException:  # of a handler that is not replaced yet
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
        """Let handlers run at once, or wait again, if the calling thread is the one that runs them.

        Handlers of signals that came before run now: what follows may take long.
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
