"""Measure the memory that a process has used."""

from __future__ import annotations

import threading
from pathlib import Path
from types import TracebackType

SAMPLING_SECONDS = 0.002


def peak_megabytes() -> float:
    """Return the largest resident size of this process so far in MB, as Linux reports it.

    `resource.getrusage` is not used, because its value may include the process that started this one.
    """
    return _status_megabytes("VmHWM")


def own_megabytes() -> float:
    """Return the resident memory of this process in MB, without the mapped files of programs and libraries.

    The mapped files are left out because processes share them.
    """
    return _status_megabytes("RssAnon")


class PeakOfOwnMemory:
    """Context manager that records the largest value of `own_megabytes`.

    Linux does not record this value, so a thread samples it.

    Attributes:
        megabytes: The largest value so far.
    """

    def __init__(self) -> None:
        self.megabytes = 0.0
        self._ended = threading.Event()
        self._sampler = threading.Thread(target=self._sample, daemon=True)

    def __enter__(self) -> PeakOfOwnMemory:
        self._sampler.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ended.set()
        self._sampler.join()

    def _sample(self) -> None:
        while True:
            self.megabytes = max(self.megabytes, own_megabytes())
            if self._ended.wait(SAMPLING_SECONDS):
                return


def _status_megabytes(name: str) -> float:
    """Return the value `name` in /proc/self/status in MB."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError(f"/proc/self/status has no {name}")
