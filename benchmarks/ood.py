"""Out-of-distribution (OOD) detection: scores of a prototype head compared with scores of a learned last layer.

`python -m benchmarks.ood` trains small networks on digits, CIFAR-100 features and CLINC150 sentence embeddings. It
scores test inputs of known classes, and inputs of no known class. It writes results/ood/scores.csv, with one row for
each kind of unknown inputs, score and measure: the mean over the runs and half of its 95% confidence interval. It takes
about ten minutes on one core. `python -m benchmarks.ood digits` runs one dataset and prints its rows.
"""

from __future__ import annotations

import argparse
import csv
import statistics
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import torch
from scipy.stats import rankdata, t
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, normalize

from benchmarks._features import Labeled, digits, image_features, intent_features
from protosphere.nn import PrototypeHead, threshold_at_tpr

RESULTS = Path(__file__).parents[1] / "results" / "ood" / "scores.csv"
HEAD_SCORES = ("max_cosine", "margin", "energy")
NEIGHBORS = 10
HELD_OUT_DIGITS = ((8, 9), (0, 1), (2, 3), (4, 5), (6, 7))


class Task(NamedTuple):
    """Training inputs of known classes, test inputs of known classes, and inputs of unknown classes.

    `unknown` has the inputs of unknown classes by their kind. The last three fields are settings of the training.
    """

    name: str
    train: Labeled
    known: Tensor
    unknown: dict[str, Tensor]
    hidden: int
    epochs: int
    batch: int


def digit_task(left_out: tuple[int, int], seed: int) -> Task:
    """Return the task with eight digits as known classes, and images of the digits `left_out` as unknown inputs."""
    images, classes = digits()
    order = torch.randperm(len(images), generator=torch.Generator().manual_seed(seed))
    images = images[order]
    classes = classes[order]
    is_known = ~torch.isin(classes, torch.tensor(left_out))
    new_names = torch.cumsum(torch.bincount(classes[is_known], minlength=10) > 0, 0) - 1
    half = len(images) // 2
    train = Labeled(
        images[:half][is_known[:half]], new_names[classes[:half][is_known[:half]]]
    )
    known = images[half:][is_known[half:]]
    unknown = images[half:][~is_known[half:]]
    return Task(
        "digits",
        train,
        known,
        {"two held-out digits": unknown},
        hidden=128,
        epochs=30,
        batch=64,
    )


def intent_task() -> Task:
    """Return the task with intents of CLINC150 as known classes, and its out-of-scope sentences as unknown inputs."""
    unknown = {"out-of-scope sentences": 10 * intent_features("oos_test").inputs}
    train = intent_features("train")
    scaled = Labeled(
        10 * train.inputs, train.classes
    )  # unit vectors of 384 entries have small entries
    return Task(
        "clinc150",
        scaled,
        10 * intent_features("test").inputs,
        unknown,
        hidden=512,
        epochs=15,
        batch=128,
    )


def image_task() -> Task:
    """Return the task with classes of CIFAR-100 as known classes, and CIFAR-10 and MNIST as unknown inputs."""
    unknown = {
        "CIFAR-10 images": image_features("cifar10", "test").inputs,
        "MNIST images": image_features("mnist", "test").inputs,
    }
    known = image_features("cifar100", "test").inputs
    return Task(
        "cifar100",
        image_features("cifar100", "train"),
        known,
        unknown,
        hidden=512,
        epochs=8,
        batch=256,
    )


def tasks(name: str) -> Iterator[tuple[Task, int]]:
    """Yield a pair (task, seed) for each run on the dataset `name`."""
    if name == "digits":
        for left_out in HELD_OUT_DIGITS:
            for seed in range(6):
                yield digit_task(left_out, seed), seed
    else:
        task = intent_task() if name == "clinc150" else image_task()
        for seed in range(3):
            yield task, seed


def trained(task: Task, last: nn.Module, seed: int) -> nn.Sequential:
    """Return a trained network with one hidden layer and the last layer `last`."""
    torch.manual_seed(seed)
    model = nn.Sequential(
        nn.Linear(task.train.inputs.shape[1], task.hidden), nn.ReLU(), last
    )
    optimizer = torch.optim.SGD(
        model.parameters(), 0.1, momentum=0.9, weight_decay=5e-4
    )
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, task.epochs)
    for _ in range(task.epochs):
        for batch in torch.randperm(len(task.train.inputs)).split(task.batch):
            optimizer.zero_grad()
            cross_entropy(
                model(task.train.inputs[batch]), task.train.classes[batch]
            ).backward()
            optimizer.step()
        schedule.step()
    return model.eval()


def neighbor_score(features: Tensor, stored: Tensor) -> Tensor:
    """Return the cosine of each input with its tenth nearest training input (Sun et al. 2022).

    Args:
        features: Features of the inputs, one input per row.
        stored: Features of the training inputs.
    """
    blocks = normalize(features).split(1000)
    return torch.cat(
        [
            (block @ normalize(stored).T).topk(NEIGHBORS).values[:, -1]
            for block in blocks
        ]
    )


def scorers(task: Task, seed: int):
    """Train a network with a prototype head and one with a learned layer, and return their scores.

    Returns:
        By name, functions from inputs to scores. A higher score means that the input is more likely to be known.
    """
    num_classes = int(task.train.classes.max()) + 1
    torch.manual_seed(seed)
    head = PrototypeHead(num_classes)
    ours = trained(task, nn.Sequential(nn.Linear(task.hidden, head.dim), head), seed)
    learned = trained(task, nn.Linear(task.hidden, num_classes), seed)
    body = learned[:2]
    map_to_prototypes = nn.Sequential(*ours[:2], ours[2][0])
    with torch.no_grad():
        stored = body(task.train.inputs)
        stored_z = map_to_prototypes(task.train.inputs)
    functions = {
        f"prototype head: {kind}": (
            lambda x, kind=kind: head.score(map_to_prototypes(x), kind=kind)
        )
        for kind in HEAD_SCORES
    }
    functions["prototype head: max logit"] = lambda x: ours(x).max(dim=1).values
    functions["prototype head: nearest neighbors of z"] = lambda x: neighbor_score(
        map_to_prototypes(x), stored_z
    )
    functions["learned layer: max softmax"] = lambda x: (
        learned(x).softmax(1).max(1).values
    )
    functions["learned layer: energy"] = lambda x: learned(x).logsumexp(1)
    functions["learned layer: nearest neighbors of features"] = lambda x: (
        neighbor_score(body(x), stored)
    )
    return functions


def auroc(known: Tensor, unknown: Tensor) -> float:
    """Return the AUROC in percent: the probability that a known input has a higher score than an unknown input.

    The arguments are the scores of known and of unknown inputs.
    """
    ranks = rankdata(torch.cat([known, unknown]).numpy())[: len(known)]
    above = ranks.sum() - len(known) * (len(known) + 1) / 2
    return 100 * above / (len(known) * len(unknown))


def rejected(known: Tensor, unknown: Tensor) -> float:
    """Return the percentage of unknown inputs that are rejected, at the threshold that accepts 95% of known inputs.

    The arguments are the scores of known and of unknown inputs.
    """
    return 100 * (unknown < threshold_at_tpr(known, accept=0.95)).double().mean().item()


def measured(name: str) -> dict[tuple[str, str, str], list[float]]:
    """Return the values of all runs on a dataset by (kind of unknown inputs, score, measure)."""
    values = defaultdict(list)
    for task, seed in tasks(name):
        functions = scorers(task, seed)
        with torch.no_grad():
            for score_name, score in functions.items():
                known = score(task.known)
                for source, inputs in task.unknown.items():
                    unknown = score(inputs)
                    values[source, score_name, "auroc"].append(auroc(known, unknown))
                    values[source, score_name, "rejected_at_tpr95"].append(
                        rejected(known, unknown)
                    )
    return values


def half_interval(values: list[float]) -> float:
    """Return half of the 95% confidence interval of the mean."""
    return (
        float(t.ppf(0.975, len(values) - 1))
        * statistics.stdev(values)
        / len(values) ** 0.5
    )


def rows(name: str) -> list[dict[str, object]]:
    """Return the rows of the table for one dataset."""
    return [
        {
            "known": name,
            "unknown": source,
            "score": score,
            "measure": measure,
            "mean": f"{statistics.fmean(values):.2f}",
            "half_interval": f"{half_interval(values):.2f}",
            "runs": len(values),
        }
        for (source, score, measure), values in measured(name).items()
    ]


def main() -> None:
    """Measure the datasets. Write the table if the command line selects no dataset."""
    every = ("digits", "clinc150", "cifar100")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "data", nargs="?", choices=every, help="one data set; all of them without it"
    )
    given = parser.parse_args().data
    names = every if given is None else (given,)
    torch.set_num_threads(1)
    table = []
    for name in names:
        for row in rows(name):
            table.append(row)
            print(*row.values(), sep=" | ", flush=True)
    if given is None:
        RESULTS.parent.mkdir(parents=True, exist_ok=True)
        with RESULTS.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, table[0], lineterminator="\n")
            writer.writeheader()
            writer.writerows(table)


if __name__ == "__main__":
    main()
