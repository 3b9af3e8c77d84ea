"""Learn features of handwritten digits without labels by SwAV and DINO, with fixed and with learned prototypes.

Run it by `python examples/self_supervised.py [--json]`.
"""

import json
import sys
import tempfile
from pathlib import Path

from protosphere.data import load_dataset
from protosphere.experiments import load_config
from protosphere.experiments.config import config_from
from protosphere.experiments.devices import make_fabric
from protosphere.experiments.run import run

NUM_PROTOTYPES = 64
DIM = 16
EPOCHS = 15

METHODS = {
    "best": {"scheme": "best", "scheme_options": {"iterations": 0}},
    "clusters": {
        "scheme": "clusters",
        "scheme_options": {"clusters": 8, "spread": 0.3},
    },
    "learned": {"head": "bottleneck"},
}


def main() -> None:
    """Train with each objective and each kind of prototypes, and print the accuracies of the features."""
    digits = load_dataset("digits")
    base = load_config("quick-digits").record() | {
        "num_prototypes": NUM_PROTOTYPES,
        "dim": DIM,
        "epochs": EPOCHS,
    }
    rows: list[dict[str, object]] = []
    for objective in ("swav", "dino"):
        for method, settings in METHODS.items():
            config = config_from(base | settings | {"objective": objective})
            fabric = make_fabric("cpu", config.precision)
            with tempfile.TemporaryDirectory() as folder:
                record = run(config, digits, Path(folder), fabric, tensorboard=False)
            rows.append(
                {
                    "objective": objective,
                    "prototypes": method,
                    "nearest_neighbors": record.test_accuracy,
                    "linear_probe": record.metrics["test_linear_probe_accuracy"],
                    "in_use": record.metrics["test_prototypes_in_use"],
                }
            )
            if "--json" not in sys.argv:
                print(_line(rows[-1]), flush=True)
    if "--json" in sys.argv:
        print(json.dumps(rows))


def _line(row: dict[str, object]) -> str:
    accuracies = f"{row['nearest_neighbors']:.1%} by neighbors, {row['linear_probe']:.1%} by a linear probe"
    used = f"{row['in_use']:.0f} of {NUM_PROTOTYPES} prototypes in use"
    return f"{row['objective']:5} {row['prototypes']:9} {accuracies}, {used}"


if __name__ == "__main__":
    main()
