"""Measure the images per second of CIFAR-100 training on all cores, by number of processes and precision."""

from __future__ import annotations

import json
import subprocess
import sys
import time

from protosphere.compiled.threads import processor_count

IMAGES = 10_000
EPOCHS = 2
WORK = """
import json, sys, tempfile
from pathlib import Path
from protosphere.data import load_dataset
from protosphere.experiments import load_config
from protosphere.experiments.devices import make_fabric
from protosphere.experiments.loop import train
from protosphere.experiments.run import constructed
settings = json.loads(sys.argv[1])
config = load_config("quick-cifar100").changed(**settings)
dataset, fabric = load_dataset("cifar100"), make_fabric("cpu", config.precision)
with tempfile.TemporaryDirectory() as folder:
    outcome = train(config, constructed(config, 100), dataset, Path(folder), fabric, tensorboard=False)
print(outcome.history[-1].images_per_second)
"""


def images_per_second(
    workers: int, threads: int, precision: str, batch_size: int, backbone: str
) -> float:
    """Return the sum of the images per second of `workers` simultaneous processes, each in its last epoch."""
    settings = {
        "scheme": "one_hot",
        "dim": 100,
        "epochs": EPOCHS,
        "train_images": IMAGES,
        "validation": 0.0,
        "threads": threads,
        "precision": precision,
        "batch_size": batch_size,
        "backbone": backbone,
    }
    command = [sys.executable, "-c", WORK, json.dumps(settings)]
    running = [
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        for _ in range(workers)
    ]
    return sum(float(process.communicate()[0].split()[-1]) for process in running)


def main() -> None:
    """Print a line for each configuration, with its speed relative to the first."""
    cores = processor_count()
    ways = (
        (1, cores, "32-true", 512, "small"),
        (cores, 1, "32-true", 512, "small"),
        (cores, 1, "bf16-mixed", 512, "small"),
        (cores, 1, "bf16-mixed", 256, "strided"),
    )
    before = None
    for workers, threads, precision, batch_size, backbone in ways:
        begun = time.perf_counter()
        found = images_per_second(workers, threads, precision, batch_size, backbone)
        before = found if before is None else before
        print(
            f"{backbone}: {workers} processes of {threads} threads, {precision}, batch {batch_size}:"
            f" {found:,.0f} images/s, {found / before:.2f} times the first ({time.perf_counter() - begun:.0f} s)",
            flush=True,
        )


if __name__ == "__main__":
    main()
