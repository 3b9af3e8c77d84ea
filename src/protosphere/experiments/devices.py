"""Choose the device of a run with Lightning Fabric, and make torch reproducible.

A Lightning Fabric is an object that manages the devices and processes of a training run.
"""

import logging
import os
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import torch

from protosphere.compiled.threads import processor_count
from protosphere.errors import InvalidArgumentError, as_choice, brief
from protosphere.extras import require

ACCELERATORS = ("auto", "cpu", "cuda", "gpu", "mps")


def make_fabric(accelerator: str, precision: str, devices: int = 1) -> Any:
    """Return a Lightning Fabric, an object that manages the devices and processes of a training run.

    If `devices` is above 1, Fabric starts one process per device, unless torchrun has started these processes already.

    Args:
        accelerator: Kind of device: "cpu", "cuda", "mps", "gpu" (the available one of cuda and mps) or "auto" (a GPU if
            there is one, otherwise the CPU).
        precision: Precision of the network, such as "32-true".
        devices: Number of devices, with one process each.

    Raises:
        InvalidArgumentError: If the machine has no such accelerator or too few devices, if the accelerator does not
            support the precision, or if there would be more processes than CPUs.
    """
    logging.getLogger("lightning_fabric").setLevel(
        logging.ERROR
    )  # it tells about every device it does not use
    warnings.filterwarnings("ignore", module="lightning_fabric")
    fabric: Any = require("lightning_fabric")
    started_outside = "TORCHELASTIC_RUN_ID" in os.environ
    kind = _selected_kind(accelerator)
    if kind == "cpu":
        _check_for_cpus(precision, 1 if started_outside else devices)
    if devices > 1:
        strategy = "ddp" if started_outside else "ddp_spawn"
    else:
        strategy = "auto"
    try:
        return fabric.Fabric(
            accelerator=accelerator,
            devices=devices,
            strategy=strategy,
            precision=precision,
        )
    except (
        ValueError,
        RuntimeError,
        fabric.utilities.exceptions.MisconfigurationException,
    ) as error:
        reason = str(error).splitlines()[0]
        raise InvalidArgumentError(
            f"'devices' {devices} of {brief(accelerator)}: {reason}"
        ) from error


def _selected_kind(accelerator: str) -> str:
    as_choice("accelerator", accelerator, ACCELERATORS)
    there = {
        "cuda": torch.cuda.is_available(),
        "mps": torch.backends.mps.is_available(),
        "cpu": True,
    }
    found = [kind for kind, available in there.items() if available]
    graphics = [kind for kind in found if kind != "cpu"]
    suitable = {"auto": found, "gpu": graphics}.get(
        accelerator, [kind for kind in found if kind == accelerator]
    )
    if not suitable:
        has = f"this machine has {' and '.join(found)}"
        raise InvalidArgumentError(
            f"'accelerator' {brief(accelerator)} is not available: {has}, which 'auto' chooses by itself"
        )
    return suitable[0]


def _check_for_cpus(precision: str, processes: int) -> None:
    if precision == "16-mixed":
        raise InvalidArgumentError(
            "'precision' '16-mixed' needs a GPU; on CPUs 'bf16-mixed' is half precision"
        )
    limit = processor_count()
    if processes > limit:
        raise InvalidArgumentError(
            f"'devices' must be at most {limit}, the CPUs of this machine, got {processes}"
        )


def summing_type(device: torch.device) -> torch.dtype:
    """Return the dtype for sums over an epoch: float64, or float32 on Apple GPUs, which lack float64.

    Args:
        device: Torch device of the sums.
    """
    return torch.float32 if device.type == "mps" else torch.float64


def leave_together(fabric: Any) -> None:
    """Wait until all processes of the run have called this function, then destroy their process group.

    Otherwise, a process that exits early could abort the other processes.

    Args:
        fabric: Lightning Fabric of this process.
    """
    fabric.barrier()
    if torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()


@contextmanager
def reproducible(threads: int) -> Generator[None]:
    """Return a context manager in which torch uses deterministic algorithms and a given number of CPU threads.

    At the end of the context, torch gets its previous settings back.

    Args:
        threads: Number of CPU threads; 0 to leave the number unchanged.
    """
    before = torch.get_num_threads()
    strict = torch.are_deterministic_algorithms_enabled()
    warn_only = torch.is_deterministic_algorithms_warn_only_enabled()
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    torch.use_deterministic_algorithms(True, warn_only=True)
    if threads:
        torch.set_num_threads(threads)
    try:
        yield
    finally:
        torch.set_num_threads(before)
        torch.use_deterministic_algorithms(strict, warn_only=warn_only)
