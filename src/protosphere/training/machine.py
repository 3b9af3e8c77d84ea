"""What a run may use, as a record that needs no torch."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Machine:
    """What a run may use; no part of its recipe, for on one device the result does not depend on it.

    Attributes:
        accelerator: `cpu`, `cuda`, `mps`, or `auto` for the best there is.
        devices: how many processes share a batch.
    """

    accelerator: str = "auto"
    devices: int = 1
