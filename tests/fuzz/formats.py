"""A small sound file of every format but those of codes, and who reads it and uses what was read."""

from __future__ import annotations

import gzip
import io
import struct
import tarfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from safetensors.torch import load, save
from tools.catalogue_file import write_catalogue
from tools.linear.table_file import save_linear_codes

import protosphere as ps
from protosphere.assignment.class_table import similarity_from_table
from protosphere.assignment.similarity import as_similarity
from protosphere.data import load_dataset
from protosphere.data.cifar import read_cifar
from protosphere.data.mnist import read_idx
from protosphere.data.npz_dataset import read_npz
from protosphere.experiments import load_config, load_model
from protosphere.experiments.checkpoint import load_checkpoint
from protosphere.experiments.devices import make_fabric
from protosphere.experiments.epochs import read_metrics
from protosphere.experiments.feature_files import NOTE, Preparation, write_features
from protosphere.experiments.feature_networks import FeatureNetwork
from protosphere.experiments.loop import _prepared, _restored
from protosphere.experiments.normalization import normalization
from protosphere.experiments.randomness import own_randomness
from protosphere.experiments.run import run
from protosphere.experiments.store import Store, read_table, write_table
from protosphere.experiments.sweep_files import load_sweep
from protosphere.nn import PrototypeHead
from protosphere.spherical.io.loading import read_points
from protosphere.tables.atlas import read_atlas, save_atlas, shipped_atlas
from protosphere.tables.catalogue import Catalogue, read_catalogue, shipped_catalogue
from protosphere.tables.linear_codes import read_linear_codes, shipped_linear_codes

MOST_INPUTS = 1 << 20
"""Entries of inputs that a network or a head is tried on."""


class Format(NamedTuple):
    """A sound file, what reads it and uses what it reads, and how it is taken apart where its ending does not say."""

    source: Path
    reader: Callable[[Path], object]
    container: str = ""


def formats(folder: Path) -> dict[str, Format]:
    """One of each."""
    return {
        **_known(folder),
        **_datasets(folder),
        **_words(folder),
        **_finished_run(folder),
        **_features(folder),
    }


def _known(folder: Path) -> dict[str, Format]:
    whole = shipped_catalogue()
    small = [
        entry
        for entry in whole.entries
        if whole.sources[entry.source].levels.size < 100
    ][:4]
    entries = tuple(replace(entry, source=number) for number, entry in enumerate(small))
    sources = tuple(whole.sources[entry.source] for entry in small)
    write_catalogue(folder / "catalogue.npz", Catalogue(sources, entries, 300, 64))
    save_atlas(folder / "atlas.csv", shipped_atlas()[:6])
    save_linear_codes(
        folder / "linear_codes.csv", list(shipped_linear_codes().rows.values())[:20]
    )

    def catalogue(path: Path) -> object:
        found = read_catalogue(path)
        entry = next(
            (one for one in found.entries if one.num_points * one.dim <= 200), None
        )
        built = found.build(entry) if entry is not None else None
        assert built is None or np.isfinite(built).all(), "a code that is none"
        return built

    return {
        "catalogue": Format(folder / "catalogue.npz", catalogue),
        "atlas": Format(
            folder / "atlas.csv", lambda path: save_atlas(path, read_atlas(path))
        ),
        "linear codes": Format(
            folder / "linear_codes.csv", lambda path: read_linear_codes(path).leading()
        ),
    }


def _datasets(folder: Path) -> dict[str, Format]:
    rng = np.random.default_rng(0)
    labels = {f"y_{part}": np.arange(12) % 3 for part in ("train", "test")}
    arrays = {
        f"x_{part}": rng.standard_normal((12, 4)).astype(np.float32)
        for part in ("train", "test")
    }
    np.savez(folder / "features.npz", **arrays, **labels)
    steps = {
        "x_train": rng.integers(-9, 9, (12, 4), dtype=np.int8),
        "x_test": np.ones((12, 4), np.int8),
    }
    names = {"class_names": np.array(["a", "b", "c"]), "step": np.ones(4, np.float32)}
    np.savez(folder / "steps.npz", **steps, **labels, **names)
    images = {
        f"x_{part}": rng.integers(0, 255, (12, 1, 4, 4), dtype=np.uint8)
        for part in ("train", "test")
    }
    np.savez_compressed(folder / "images.npz", **images, **labels)
    packed = gzip.compress(struct.pack(">HBB3i", 0, 8, 3, 2, 3, 3) + bytes(18))
    (folder / "images.gz").write_bytes(packed)
    with tarfile.open(folder / "cifar.tgz", "w:gz") as archive:
        for name, content in {
            "train.bin": bytes(2 * 3074),
            "test.bin": bytes(3074),
            "fine_label_names.txt": b"name\n" * 100,
        }.items():
            member = tarfile.TarInfo(f"cifar-100-binary/{name}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))

    def npz(path: Path) -> object:
        found = read_npz(path)
        return found.digest, normalization(torch.tensor(found.x_train), found.step)

    return {
        "features": Format(folder / "features.npz", npz),
        "steps": Format(folder / "steps.npz", npz),
        "images": Format(folder / "images.npz", npz),
        "similar features": Format(folder / "steps.npz", ps.similarity_from_features),
        "idx": Format(folder / "images.gz", lambda path: read_idx(path, 3)),
        "cifar": Format(
            folder / "cifar.tgz", lambda path: read_cifar(path, "cifar100").digest
        ),
    }


def _words(folder: Path) -> dict[str, Format]:
    text = 'dataset = "digits"\nscheme = "bch"\ndim = 15\nlr = 0.1\noptions = {modify = true}\n'
    (folder / "config.toml").write_text(text)
    (folder / "sweep.toml").write_text(
        'dataset = "digits"\nschemes = ["bch"]\ndims = [7, 15]\nseeds = [0]\n'
    )
    (folder / "tree.txt").write_text(
        "cat animal\ndog animal\ncar thing\nanimal root\nthing root\n"
    )
    (folder / "matrix.txt").write_text("1 0.5 0.25\n0.5 1 0\n0.25 0 1\n")
    (folder / "classes.csv").write_text(
        "name,group,x,y\ncat,animal,1,0.5\ndog,animal,0.9,-1\ncar,thing,-2,0\n"
    )
    (folder / "confusion.csv").write_text("8,2,0\n2,8,0\n0,0,10\n")

    def tree(path: Path) -> object:
        found = ps.taxonomy(path)
        return found.similarity(), found.groups(), ps.taxonomy(found.text)

    def confusion(path: Path) -> object:
        return ps.similarity_from_confusion(
            read_points(path)
        ), ps.similarity_from_embeddings(read_points(path))

    return {
        "config": Format(
            folder / "config.toml", lambda path: load_config(str(path)).digest
        ),
        "sweep": Format(folder / "sweep.toml", load_sweep),
        "tree": Format(folder / "tree.txt", tree),
        "matrix": Format(
            folder / "matrix.txt", lambda path: as_similarity(read_points(path))
        ),
        "class table": Format(
            folder / "classes.csv",
            lambda path: similarity_from_table(path, ("cat", "car")),
        ),
        "confusion": Format(folder / "confusion.csv", confusion),
    }


def _finished_run(folder: Path) -> dict[str, Format]:
    """What a run leaves: its record, a table of it, its epochs, its checkpoint and its weights; the state of a head."""
    small = {
        "backbone": "mlp(4)",
        "rotation_degrees": 0.0,
        "train_images": 60,
        "threads": 1,
    }
    config = load_config("quick-digits").changed(
        scheme="simplex", dim=9, epochs=1, **small
    )
    dataset = load_dataset("digits")
    store = Store(folder / "store")
    work = store.work_folder(config.digest)
    fabric = make_fabric("cpu", config.precision)
    record = run(config, dataset, work, fabric, tensorboard=False)
    store.add(record)
    write_table([record], folder / "runs.csv")
    code = ps.construct("simplex", num_classes=10, dim=9)
    with own_randomness():
        begun = _prepared(config, code, dataset, fabric, None, watched=True)

    def resumed(path: Path) -> object:
        (work / "checkpoint.pt").write_bytes(path.read_bytes())
        done = load_checkpoint(work, config.digest, dataset.digest)
        assert done is not None
        with own_randomness():
            return _restored(begun, done, work)

    def recorded(path: Path) -> object:
        (store.record_folder / f"{config.digest}.json").write_bytes(path.read_bytes())
        found = store.get(config.digest)
        assert found is not None
        return found.to_json(), write_table([found], folder / "again.csv")

    def epochs(path: Path) -> object:
        (work / "metrics.jsonl").write_bytes(path.read_bytes())
        return read_metrics(work)

    (folder / "head.safetensors").write_bytes(
        save(PrototypeHead(10, dim=9).state_dict())
    )
    return {
        "record": Format(
            _copied(store.record_folder / f"{config.digest}.json", folder), recorded
        ),
        "table": Format(
            folder / "runs.csv",
            lambda path: [record.to_json() for record in read_table(path)],
        ),
        "epochs": Format(_copied(work / "metrics.jsonl", folder), epochs),
        "checkpoint": Format(_copied(work / "checkpoint.pt", folder), resumed),
        "weights": Format(_copied(work / "weights.safetensors", folder), _modeled),
        "state": Format(folder / "head.safetensors", _headed, ".state"),
    }


def _modeled(path: Path) -> object:
    model = load_model(path)
    if model.config.dim < MOST_INPUTS:
        return model(torch.zeros(1, 1, 8, 8, dtype=torch.uint8))
    return None


def _headed(path: Path) -> object:
    try:
        state = load(path.read_bytes())
    except Exception as error:  # the container is safetensors' own, not ours
        raise ps.StorageError("not a safetensors file") from error
    head = PrototypeHead.from_state_dict(state)
    if head.code.dim * head.code.num_classes < MOST_INPUTS:
        return head(torch.zeros(2, head.code.dim))
    return None


def _features(folder: Path) -> dict[str, Format]:
    """What an extraction of features leaves when it is stopped: its rows so far, and a note of how many there are."""
    dataset = load_dataset("digits")
    few = replace(dataset, x_train=dataset.x_train[:8], y_train=dataset.y_train[:8])
    few = replace(few, x_test=dataset.x_test[:4], y_test=dataset.y_test[:4])
    network = FeatureNetwork(lambda images: images.mean((2, 3)), "mean")
    work = folder / ".extracted.npz.work"
    target = folder / "extracted.npz"
    kept: dict[str, bytes] = {}

    def keep(*_: object) -> None:
        kept.update({path.name: path.read_bytes() for path in work.iterdir()})

    import protosphere.experiments.feature_files as module

    seconds = module.NOTE_SECONDS
    module.NOTE_SECONDS = -1.0
    write_features(few, network, Preparation(), target, batch_size=4, progress=keep)
    module.NOTE_SECONDS = seconds
    for name in ("train.npy", f"train-{NOTE}"):
        (folder / name).write_bytes(kept[name])

    def extracted(changed: str) -> Callable[[Path], object]:
        def read(path: Path) -> object:
            work.mkdir(exist_ok=True)
            for name, content in kept.items():
                (work / name).write_bytes(
                    path.read_bytes() if name == changed else content
                )
            return write_features(few, network, Preparation(), target, batch_size=4)

        return read

    return {
        "rows so far": Format(folder / "train.npy", extracted("train.npy")),
        "note": Format(folder / f"train-{NOTE}", extracted(f"train-{NOTE}")),
    }


def _copied(path: Path, folder: Path) -> Path:
    kept = folder / path.name
    kept.write_bytes(path.read_bytes())
    return kept
