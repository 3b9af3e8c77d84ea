"""Measurement of the memory that a process has used."""

from __future__ import annotations

from pathlib import Path


def peak_megabytes() -> float:
    """Return the largest resident size of this process so far in MB, as Linux reports it.

    `resource.getrusage` is not used, because its value includes the process from which this one was started.
    """
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return (
        next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024
    )
