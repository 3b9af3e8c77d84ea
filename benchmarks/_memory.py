"""How much memory a process has used."""

from __future__ import annotations

from pathlib import Path


def peak_megabytes() -> float:
    """The largest resident size of this process so far, as Linux tells it.

    Not `resource.getrusage`: what a process was started from counts there too.
    """
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return (
        next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024
    )
