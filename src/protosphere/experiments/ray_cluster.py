"""The engine of the flag `--ray` of `protosphere sweep`, which does the runs of a sweep on a Ray cluster.

A sweep is a list of training runs. An engine is a function that does the runs of a sweep. The record of a run holds its
settings, its status and its results. The store is the folder of the records.

The dataset is sent to the nodes of the cluster. If a node dies, Ray restarts its runs on another node. If the nodes can
write to the store, for example on a shared disk, a restarted run continues from its checkpoint in the store. Otherwise
each run uses a temporary folder of its node and restarts from the beginning.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from protosphere.data import Dataset
from protosphere.errors import InvalidArgumentError, StorageError
from protosphere.experiments.config import TrainingConfig
from protosphere.experiments.record import RunRecord
from protosphere.experiments.run import run_or_reason
from protosphere.experiments.sweep import Engine, Work
from protosphere.extras import require
from protosphere.storage.files import make_folder

TICK_SECONDS = 0.5
RETRIES = 10


def on_ray(address: str | None) -> Engine:
    """Return a function that does the runs of a sweep on a Ray cluster.

    The function yields the record of each run when the run ends.

    Args:
        address: Address of the cluster. If it is None, the address in $RAY_ADDRESS is used or, if this variable is not
            set, a new cluster is started on this machine.
    """

    def engine(work: Work) -> Iterator[RunRecord]:
        ray = require("ray")
        dashboard = False if address is None else None
        try:
            ray.init(
                address=address,
                log_to_driver=False,
                logging_level="error",
                include_dashboard=dashboard,
            )
        except (ConnectionError, ValueError, RuntimeError) as error:
            reason = str(error).splitlines()[0]
            raise InvalidArgumentError(
                f"'--ray' cannot connect to a cluster at '{address}': {reason}. If a cluster runs there, it may demand "
                "a token, as clusters of Ray 2.59 and later do: set RAY_AUTH_MODE=token on every node"
            ) from error
        try:
            yield from _runs(ray, work)
        finally:
            ray.shutdown()

    return engine


def _runs(ray: Any, work: Work) -> Iterator[RunRecord]:
    images = ray.put(work.dataset)
    task = ray.remote(max_retries=RETRIES)(_remote_run)
    asked: dict[Any, TrainingConfig] = {}
    graphics = ray.cluster_resources().get("GPU", 0) > 0 and work.accelerator in (
        "auto",
        "cuda",
        "gpu",
    )
    for config in work.configs:
        folder = work.store.work_folder(config.digest).absolute()
        share = task.options(
            num_cpus=max(1, config.threads), num_gpus=1 if graphics else 0
        )
        asked[share.remote(config, images, folder, work.accelerator)] = config
    while asked:
        work.watch(list(asked.values()))
        ready, _ = ray.wait(list(asked), timeout=TICK_SECONDS)
        for reference in ready:
            config = asked.pop(reference)
            try:
                answer = ray.get(reference)
            except ray.exceptions.RayError as error:
                reason = f"on the cluster: {str(error).splitlines()[0]}"
                answer = RunRecord(config, "failed", reason, data=work.dataset.digest)
            if isinstance(answer, str):
                raise StorageError(answer)
            yield answer


def _remote_run(
    config: TrainingConfig, dataset: Dataset, folder: Path, accelerator: str
) -> RunRecord | str:
    try:
        try:
            make_folder(folder)
        except StorageError:
            with tempfile.TemporaryDirectory(prefix="protosphere-") as temporary:
                return run_or_reason(config, dataset, Path(temporary), accelerator)
        return run_or_reason(config, dataset, folder, accelerator)
    except StorageError as error:
        return str(error)  # `_runs` raises a StorageError with this text
