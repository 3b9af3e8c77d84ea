"""The training loop of one run, which writes a checkpoint after each epoch.

A config holds all settings of a run. A checkpoint is a file with the state of a run after an epoch. The backbone maps
an input to a vector, and the head maps this vector to logits, one for each class.

The result depends only on the config and the data. A run that was killed continues from its last checkpoint. On the
same device, it ends with exactly the weights of an uninterrupted run.
"""

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

import protosphere as ps
from protosphere.backbones import build_backbone, is_ours
from protosphere.data import Dataset
from protosphere.errors import InvalidArgumentError, TrainingError
from protosphere.experiments.batches import (
    DeviceData,
    Share,
    augmented_once,
    device_data,
    training_batches,
)
from protosphere.experiments.checkpoint import (
    Checkpoint,
    load_checkpoint,
    save_checkpoint,
)
from protosphere.experiments.config import TrainingConfig
from protosphere.experiments.devices import reproducible, summing_type
from protosphere.experiments.epochs import EpochMetrics, MetricsLog, Report, Tick
from protosphere.experiments.evaluation import Evaluation
from protosphere.experiments.heads import Classifier, build_head, build_objective
from protosphere.experiments.normalization import Normalize
from protosphere.experiments.optimization import (
    build_optimizer,
    build_schedule,
    set_rate,
)
from protosphere.experiments.randomness import (
    own_randomness,
    random_states,
    restore_random_states,
    seed_everything,
)
from protosphere.experiments.representation import RepresentationEvaluation
from protosphere.experiments.self_supervised import (
    SelfSupervised,
    build_self_supervised,
    view_batches,
)
from protosphere.storage.files import make_folder
from protosphere.types import ignore


@dataclass(frozen=True)
class Outcome:
    """Result of a finished training run.

    Attributes:
        history: Metrics of each epoch.
        metrics: Metrics of the network after the last epoch, by name. A value that is not finite is None.
        classifier: The trained network.
        normalized: Module that normalizes the network's inputs.
    """

    history: tuple[EpochMetrics, ...]
    metrics: dict[str, float | None]
    classifier: Classifier | SelfSupervised
    normalized: Normalize


@dataclass(frozen=True)
class _Run:
    fabric: Any
    model: Any  # `classifier`, wrapped by Fabric
    classifier: Classifier | SelfSupervised
    dataset: Dataset
    data: DeviceData
    evaluation: Evaluation | RepresentationEvaluation
    config: TrainingConfig
    optimizer: Any
    schedule: Any
    watched: bool  # whether held-out examples are evaluated after each epoch

    @property
    def part(self) -> Share:
        return Share(self.fabric.global_rank, self.fabric.world_size)

    def batches(self, epoch: int) -> Iterator[tuple[Tensor, Tensor, int]]:
        # The inputs are those of this process only; the size is that of the whole batch. In self-supervised runs, the
        # labels are the indices of the images among the training examples.
        draw = view_batches if self.config.is_self_supervised else training_batches
        return draw(self.data, self.config, epoch, self.part)

    def summed_over_processes(self, value: Tensor) -> Tensor:
        if self.part.world > 1:
            return self.fabric.all_reduce(value, reduce_op="sum")
        return value

    def stateful(self) -> dict[str, Any]:
        # a checkpoint stores the `state_dict` of each of these objects under its key
        network = {"model": self.classifier.backbone, "head": self.classifier.head}
        return network | {
            "optimizer": self.optimizer.optimizer,
            "schedule": self.schedule,
        }


def train(
    config: TrainingConfig,
    code: ps.SphericalCode | None,
    dataset: Dataset,
    folder: Path,
    fabric: Any,
    *,
    report: Report = ignore,
    tick: Tick = ignore,
    tensorboard: bool = True,
    head: nn.Module | None = None,
    watched: bool = True,
) -> Outcome:
    """Train a network until the last epoch of the config, from the beginning or from the checkpoint in `folder`.

    Args:
        config: Settings of the run: dataset, backbone, scheme, loss and optimization.
        code: Prototypes of the classes; None if the config has a learned head.
        dataset: Dataset to train on.
        folder: Folder of the run, to which the checkpoint and the metrics are written.
        fabric: Lightning Fabric object, which determines the device and the number of processes.
        report: Function that the first process calls after each epoch with the metrics of the epoch.
        tick: Function that is called after each batch with the number of examples of the batch in all processes
            together.
        tensorboard: Whether to write the metrics for TensorBoard if it is installed.
        head: Module that maps the output of the backbone to logits and replaces the head of the config. None means the
            head of the config.
        watched: Whether to evaluate the held-out examples after each epoch. If false, they are evaluated after the last
            epoch only.

    Returns:
        The metrics of each epoch, the metrics of the network after the last epoch, the trained network, and the module
        that normalizes its inputs.

    Raises:
        InvalidArgumentError: If the checkpoint in `folder` belongs to another config or to other data.
        StorageError: If the checkpoint is damaged, or a file cannot be written.
        TrainingError: If the loss is not finite.
    """
    make_folder(folder)
    with own_randomness(), reproducible(config.threads):
        run = _prepared(config, code, dataset, fabric, head, watched)
        done = load_checkpoint(folder, config.digest, dataset.digest)
        history = _restored(run, done, folder) if done else ()
        if fabric.is_global_zero:
            log = MetricsLog(folder, history, tensorboard=tensorboard)
        else:
            log = None
        for epoch in range(len(history), config.epochs):
            history = (*history, _epoch(run, epoch, tick))
            if log is not None:
                save_checkpoint(folder, _checkpoint(run, history))
                log.add(history[-1])
                report(history[-1])
        if log is not None:
            log.close()
        metrics = run.evaluation.all_metrics()
        return Outcome(history, metrics, run.classifier, run.data.normalized)


def _prepared(
    config: TrainingConfig,
    code: ps.SphericalCode | None,
    dataset: Dataset,
    fabric: Any,
    head: nn.Module | None,
    watched: bool,
) -> _Run:
    seed_everything(config.seed)
    if config.is_self_supervised:
        classifier = build_self_supervised(config, dataset, code)
    else:
        classifier = _supervised(config, code, dataset, head)
    learned = (each for each in classifier.parameters() if each.requires_grad)
    raw = build_optimizer(config, learned)
    schedule = build_schedule(config, raw)
    model, optimizer = fabric.setup(classifier, raw)
    data = device_data(dataset, config, fabric.device)
    if isinstance(classifier, SelfSupervised):
        evaluation = RepresentationEvaluation(fabric, model, classifier, dataset, data)
    else:
        evaluation = Evaluation(fabric, model, classifier, dataset, data)
    return _Run(
        fabric,
        model,
        classifier,
        dataset,
        data,
        evaluation,
        config,
        optimizer,
        schedule,
        watched,
    )


def _supervised(
    config: TrainingConfig,
    code: ps.SphericalCode | None,
    dataset: Dataset,
    head: nn.Module | None,
) -> Classifier:
    backbone: Any = build_backbone(config.backbone, dataset.input_shape, config.dim)
    if is_ours(config.backbone) and not dataset.is_features:
        backbone = backbone.to(
            memory_format=torch.channels_last
        )  # a fifth faster; a user's may not be written for it
    head = build_head(config, dataset.num_classes, code) if head is None else head
    return Classifier(backbone, head, build_objective(config, head))


def _restored(run: _Run, done: Checkpoint, folder: Path) -> tuple[EpochMetrics, ...]:
    try:
        if set(done["schedule"]) != set(
            run.schedule.state_dict()
        ):  # which it would take whatever it is
            raise ValueError("the schedule is another")
        for name, part in run.stateful().items():
            part.load_state_dict(done[name])
        restore_random_states(done["random"])
    except (
        ArithmeticError,
        AttributeError,
        LookupError,
        RuntimeError,
        TypeError,
        ValueError,
    ) as error:
        reason = str(error).splitlines()[0].rstrip(":")
        told = f"the checkpoint in '{folder}' does not fit its config ({reason})"
        raise InvalidArgumentError(f"{told}; remove it to start again") from error
    return done["history"]


def _checkpoint(run: _Run, history: tuple[EpochMetrics, ...]) -> Checkpoint:
    states = {name: part.state_dict() for name, part in run.stateful().items()}
    about = {
        "config": run.config.digest,
        "data": run.dataset.digest,
        "epoch": len(history),
    }
    return about | states | {"random": random_states(), "history": history}


def _epoch(run: _Run, epoch: int, tick: Tick) -> EpochMetrics:
    begun = time.perf_counter()
    lr = float(run.schedule.get_last_lr()[0])
    sums = _steps(run, epoch, lr, tick)
    run.schedule.step()
    loss, correct = (
        float(total) / len(run.data.train) for total in run.summed_over_processes(sums)
    )
    if not math.isfinite(loss):
        if epoch:
            kept = f"the checkpoint of epoch {epoch} is kept"
        else:
            kept = "there is no checkpoint yet"
        raise TrainingError(
            f"the loss is {loss} in epoch {epoch + 1}; {kept}; try a lower lr"
        )
    seconds = time.perf_counter() - begun
    return EpochMetrics(
        epoch + 1,
        loss,
        correct,
        _validation(run, epoch),
        lr,
        len(run.data.train) / seconds,
        seconds,
    )


def _steps(run: _Run, epoch: int, lr: float, tick: Tick) -> Tensor:
    fabric = run.fabric
    part = run.part
    warmup = run.config.warmup
    # the sum of the losses and the number of correct predictions
    sums = torch.zeros(2, dtype=summing_type(fabric.device), device=fabric.device)
    seen = 0
    run.model.train()
    for inputs, labels, whole in run.batches(epoch):
        seen += whole
        if epoch < warmup:  # the rate rises linearly from 0 to `lr`
            set_rate(
                run.optimizer,
                lr * min(1.0, (epoch + seen / len(run.data.train)) / warmup),
            )
        total, correct = run.model(inputs, labels)
        run.optimizer.zero_grad()
        fabric.backward(
            total * (part.world / whole)
        )  # processes average their gradients
        run.optimizer.step()
        run.classifier.after_step()
        sums += torch.stack([total.detach().to(sums.dtype), correct.to(sums.dtype)])
        tick(whole)
    set_rate(run.optimizer, lr)  # from which the schedule goes on
    return sums


def _validation(run: _Run, epoch: int) -> float | None:
    if not len(run.data.validation) or not (
        run.watched or epoch + 1 == run.config.epochs
    ):
        return None
    if run.config.augment_validation:
        held_out = augmented_once(run.data, run.config, epoch)
    else:
        held_out = run.data.validation
    return run.evaluation.accuracy(held_out)
