"""The same sweep here and on a Ray cluster of two nodes, one of which is killed while it works; results must be equal.

Its own script, not a test: starting and ending two nodes takes most of a minute. `.ci/run` runs it.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from protosphere.data import load_dataset
from protosphere.experiments.epochs import read_metrics
from protosphere.experiments.ray_cluster import on_ray
from protosphere.experiments.store import Store
from protosphere.experiments.sweep import in_this_process, sweep
from protosphere.experiments.sweep_files import sweep_configs

PLAN = {
    "dataset": "digits",
    "epochs": 40,
    "schemes": ["one_hot", "simplex", "bch"],
    "dims": [10, 15],
}


def say(line: str) -> None:
    """For whoever reads the log."""
    sys.stdout.write(line + "\n")


def main() -> None:
    """Exit code 0 where both stores hold the same weights."""
    from ray.cluster_utils import Cluster

    configs = sweep_configs(PLAN)
    digits = load_dataset("digits")
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    doomed = [cluster.add_node(num_cpus=1)]
    killed_at: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        far = Store(Path(folder) / "ray")
        near = Store(Path(folder) / "local")

        def watch(running) -> None:
            at_work = [
                config
                for config in running
                if read_metrics(far.work_folder(config.digest))
            ]
            if doomed and len(at_work) >= 2:
                cluster.remove_node(doomed.pop(), allow_graceful=False)
                killed_at.append(time.monotonic())

        begun = time.monotonic()
        for record in sweep(configs, digits, far, on_ray(cluster.address), watch=watch):
            say(
                f"ray    {time.monotonic() - begun:5.1f} s  {record.status}  {record.config.scheme} {record.config.dim}"
            )
        cluster.shutdown()
        for record in sweep(configs, digits, near, in_this_process):
            say(f"local  {record.status}  {record.config.scheme} {record.config.dim}")
        ours, theirs = (
            {r.digest: (r.status, r.weights) for r in store.records()}
            for store in (near, far)
        )
    if ours != theirs or not killed_at:
        sys.exit(f"the results differ, or no node was killed: {ours} {theirs}")
    say(
        f"{len(ours)} runs, a node killed after {killed_at[0] - begun:.1f} s: the same weights"
    )


if __name__ == "__main__":
    main()
