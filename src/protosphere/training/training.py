"""One run from its recipe: epochs of descent against prototypes that do not move, each ended by a checkpoint.

The result depends on the recipe and the data alone: a run that was killed goes on from its last checkpoint and ends
with the same weights, bit for bit on one device.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim.lr_scheduler import CosineAnnealingLR, LambdaLR

import protosphere as ps
from protosphere.backbones import BACKBONES, build_backbone
from protosphere.data import Dataset
from protosphere.errors import TrainingError
from protosphere.training.batches import (
    DeviceData,
    Labelled,
    Part,
    augmented_once,
    device_data,
    evaluation_batches,
    training_batches,
)
from protosphere.training.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from protosphere.training.devices import part_of, reproducible, summing_type
from protosphere.training.metrics import EpochMetrics, MetricsLog, Report, Tick
from protosphere.training.objective import OBJECTIVE_FUNCTIONS, nearest_classes
from protosphere.training.randomness import own_randomness, random_states, restore_random_states, seed_everything
from protosphere.training.recipe import Recipe
from protosphere.types import ignore


@dataclass(frozen=True)
class Outcome:
    """What a finished run leaves: its metrics, its accuracy on the test images, and its weights."""

    history: tuple[EpochMetrics, ...]
    test_accuracy: float
    weights: dict[str, Tensor]


@dataclass(frozen=True)
class _Run:
    """The moving parts of a run."""

    recipe: Recipe
    fabric: Any
    data: DeviceData
    prototypes: Tensor
    network: nn.Module
    model: Any
    optimizer: Any
    schedule: Any

    @property
    def part(self) -> Part:
        return part_of(self.fabric)


def train(
    recipe: Recipe,
    code: ps.SphericalCode,
    dataset: Dataset,
    folder: Path,
    fabric: Any,
    *,
    report: Report = ignore,
    tick: Tick = ignore,
    tensorboard: bool = True,
) -> Outcome:
    """Train from the checkpoint in `folder`, or from the start, to the last epoch of the recipe.

    Args:
        recipe: the run.
        code: its prototypes.
        dataset: its images.
        folder: for the checkpoint and the metrics; made where there is none.
        fabric: of `make_fabric`, launched.
        report, tick: called after each epoch, in the first process, and after each batch.
        tensorboard: whether to write for TensorBoard where that is installed.
    """
    with own_randomness(), reproducible(recipe.threads):
        run = _prepared(recipe, code, dataset, fabric)
        done = load_checkpoint(folder, recipe.digest, dataset.digest)
        history = _restored(run, done) if done else ()
        log = MetricsLog(folder, history, tensorboard=tensorboard) if fabric.is_global_zero else None
        for epoch in range(len(history), recipe.epochs):
            metrics = _epoch(run, epoch, tick)
            history = (*history, metrics)
            if log is not None:
                save_checkpoint(folder, _checkpoint(run, dataset.digest, history))
                log.add(metrics)
                report(metrics)
        if log is not None:
            log.close()
        weights = {name: tensor.detach().cpu() for name, tensor in run.network.state_dict().items()}
        return Outcome(history, _accuracy(run, run.data.test), weights)


def _prepared(recipe: Recipe, code: ps.SphericalCode, dataset: Dataset, fabric: Any) -> _Run:
    seed_everything(recipe.seed)
    network: Any = build_backbone(recipe.backbone, dataset.image_shape, recipe.dim)
    if recipe.backbone in BACKBONES:  # a fifth faster; a network of the user's may not be written for it
        network = network.to(memory_format=torch.channels_last)
    raw = torch.optim.SGD(
        network.parameters(), lr=recipe.lr, momentum=recipe.momentum, weight_decay=recipe.weight_decay
    )
    cosine = recipe.schedule == "cosine"
    schedule = CosineAnnealingLR(raw, max(1, recipe.epochs)) if cosine else LambdaLR(raw, lambda _: 1.0)
    model, optimizer = fabric.setup(network, raw)
    prototypes = torch.as_tensor(code.points, dtype=torch.float32).to(fabric.device)
    return _Run(
        recipe, fabric, device_data(dataset, recipe, fabric.device), prototypes, network, model, optimizer, schedule
    )


def _restored(run: _Run, done: Checkpoint) -> tuple[EpochMetrics, ...]:
    run.network.load_state_dict(done.model)
    run.optimizer.optimizer.load_state_dict(done.optimizer)
    run.schedule.load_state_dict(done.schedule)
    restore_random_states(done.random)
    return done.history


def _checkpoint(run: _Run, data: str, history: tuple[EpochMetrics, ...]) -> Checkpoint:
    states = (run.network.state_dict(), run.optimizer.optimizer.state_dict(), run.schedule.state_dict())
    return Checkpoint(run.recipe.digest, data, len(history), *states, random_states(), history)


def _epoch(run: _Run, epoch: int, tick: Tick) -> EpochMetrics:
    """Every training image once; TrainingError where the loss is not finite."""
    begun, lr = time.perf_counter(), float(run.schedule.get_last_lr()[0])
    run.model.train()
    sums = torch.zeros(2, dtype=summing_type(run.fabric.device), device=run.fabric.device)
    for batch in training_batches(run.data, run.recipe, epoch, run.part):
        features = run.model(batch.inputs)
        total = OBJECTIVE_FUNCTIONS[run.recipe.objective](features.float(), run.prototypes, batch.labels).sum()
        run.optimizer.zero_grad()
        run.fabric.backward(total * (run.part.world / batch.whole))  # processes average their gradients
        run.optimizer.step()
        correct = (nearest_classes(features.detach().float(), run.prototypes) == batch.labels).sum()
        sums += torch.stack([total.detach().to(sums.dtype), correct.to(sums.dtype)])
        tick(batch.whole)
    run.schedule.step()
    loss, accuracy = (float(total) / len(run.data.train) for total in _summed(run, sums))
    if not math.isfinite(loss):
        kept = f"the checkpoint of epoch {epoch} is kept" if epoch else "there is no checkpoint yet"
        raise TrainingError(f"the loss is {loss} in epoch {epoch + 1}; {kept}; try a lower lr")
    seconds = time.perf_counter() - begun
    return EpochMetrics(epoch + 1, loss, accuracy, _validation(run, epoch), lr, len(run.data.train) / seconds, seconds)


def _validation(run: _Run, epoch: int) -> float | None:
    if not len(run.data.validation):
        return None
    kept_apart = augmented_once(run.data, run.recipe, epoch) if run.recipe.augment_validation else run.data.validation
    return _accuracy(run, kept_apart)


def _accuracy(run: _Run, labelled: Labelled) -> float:
    """The share of images whose nearest prototype is that of their class."""
    run.model.eval()
    correct = torch.zeros((), dtype=torch.int64, device=run.fabric.device)
    with torch.no_grad():
        for inputs, labels in evaluation_batches(run.data, labelled, run.part):
            correct += (nearest_classes(run.model(inputs).float(), run.prototypes) == labels).sum()
    return float(_summed(run, correct)) / len(labelled)


def _summed(run: _Run, value: Tensor) -> Tensor:
    return run.fabric.all_reduce(value, reduce_op="sum") if run.part.world > 1 else value
