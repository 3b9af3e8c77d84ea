"""Every other format that is read, changed at random: `python -m tests.fuzz.other_files 10000 [SEED]`, so many each.

Allowed is an error of ours in one printable sentence, or an answer; not allowed are other exceptions, a crash, more
than ten seconds, and a gigabyte.
"""

from __future__ import annotations

import gzip
import io
import json
import random
import struct
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load, save
from tests.fuzz.code_files import SECONDS, at_most, peak_memory
from tests.fuzz.mutations import HOSTILE, changed_bytes

import protosphere as ps
from protosphere.assignment import taxonomy
from protosphere.data import load_dataset
from protosphere.data.idx import read_idx
from protosphere.data.npz import read_npz
from protosphere.known.atlas import read_atlas, save_atlas, shipped_atlas
from protosphere.known.catalogue import Catalogue, read_catalogue, shipped_catalogue, write_catalogue
from protosphere.nn import PrototypeHead
from protosphere.training import load_model, load_recipe
from protosphere.training.checkpoint import load_checkpoint
from protosphere.training.devices import make_fabric
from protosphere.training.machine import Machine
from protosphere.training.runs import run
from protosphere.training.store import Store, read_table, write_table
from protosphere.training.sweep_files import load_sweep

Format = tuple[Path, Callable[[Path], object]]
"""A sound file, and what reads it."""


def read_state(path: Path) -> object:
    """The head of a checkpoint."""
    try:
        state = load(path.read_bytes())
    except Exception as error:  # the container is safetensors' own, not ours
        raise ps.StorageError("not a safetensors file") from error
    return PrototypeHead.from_state_dict(state)


def formats(folder: Path) -> dict[str, Format]:
    """A small file of each."""
    whole = shipped_catalogue()
    entries = [entry for entry in whole.entries if entry.dim == 3 and entry.num_points < 20]
    some = Catalogue(whole.sources, tuple(entries[:3]), 300, 64)
    write_catalogue(folder / "catalogue.npz", some)
    save_atlas(folder / "atlas.csv", shipped_atlas()[:6])
    rng = np.random.default_rng(0)
    arrays = {f"x_{part}": rng.standard_normal((12, 4)).astype(np.float32) for part in ("train", "test")}
    labels = {f"y_{part}": np.arange(12) % 3 for part in ("train", "test")}
    np.savez(folder / "features.npz", **arrays, **labels)
    images = {f"x_{part}": rng.integers(0, 255, (12, 1, 4, 4), dtype=np.uint8) for part in ("train", "test")}
    np.savez_compressed(folder / "images.npz", **images, **labels)
    packed = gzip.compress(struct.pack(">HBB3i", 0, 8, 3, 2, 3, 3) + bytes(18))
    (folder / "images.gz").write_bytes(packed)
    text = 'dataset = "digits"\nscheme = "bch"\ndim = 15\nlr = 0.1\noptions = {modify = true}\n'
    (folder / "recipe.toml").write_text(text)
    (folder / "sweep.toml").write_text('dataset = "digits"\nschemes = ["bch"]\ndims = [7, 15]\nseeds = [0]\n')
    (folder / "tree.txt").write_text("cat animal\ndog animal\ncar thing\nanimal root\nthing root\n")
    head = PrototypeHead(10, dim=9)
    (folder / "state.safetensors").write_bytes(save(head.state_dict()))
    return {
        "catalogue": (folder / "catalogue.npz", read_catalogue),
        "atlas": (folder / "atlas.csv", read_atlas),
        "features": (folder / "features.npz", read_npz),
        "images": (folder / "images.npz", read_npz),
        "idx": (folder / "images.gz", lambda path: read_idx(path, 3)),
        "recipe": (folder / "recipe.toml", lambda path: load_recipe(str(path))),
        "sweep": (folder / "sweep.toml", load_sweep),
        "tree": (folder / "tree.txt", taxonomy),
        "state": (folder / "state.safetensors", read_state),
        **finished_run(folder),
    }


def finished_run(folder: Path) -> dict[str, Format]:
    """What a run leaves: its record, a table of it, its checkpoint and its weights."""
    recipe = load_recipe("quick-digits").changed(scheme="simplex", dim=9, epochs=1, train_images=60, threads=1)
    dataset, store = load_dataset("digits"), Store(folder / "store")
    work = store.work_folder(recipe.digest)
    record = run(recipe, dataset, work, make_fabric(Machine("cpu"), recipe.precision), tensorboard=False)
    store.add(record)
    write_table([record], folder / "runs.csv")

    def resumed(path: Path) -> object:
        (work / "checkpoint.pt").write_bytes(path.read_bytes())
        return load_checkpoint(work, recipe.digest, dataset.digest)

    def recorded(path: Path) -> object:
        (store.runs / f"{recipe.digest}.json").write_bytes(path.read_bytes())
        return store.get(recipe.digest)

    return {
        "record": (_copied(store.runs / f"{recipe.digest}.json", folder), recorded),
        "table": (folder / "runs.csv", read_table),
        "checkpoint": (_copied(work / "checkpoint.pt", folder), resumed),
        "weights": (_copied(work / "weights.safetensors", folder), load_model),
    }


def _copied(path: Path, folder: Path) -> Path:
    kept = folder / path.name
    kept.write_bytes(path.read_bytes())
    return kept


def changed(path: Path, rng: random.Random) -> bytes:
    """Bytes, members of an archive, or values of a JSON document, other ones."""
    content = path.read_bytes()
    if path.suffix == ".npz" and rng.random() < 0.7:
        return _changed_members(content, rng)
    if path.suffix == ".json" and rng.random() < 0.7:
        document = json.loads(content)
        document[rng.choice(list(document))] = rng.choice([value for value in HOSTILE if value == value])
        return json.dumps(document, default=str).encode()
    return changed_bytes(content, rng)


def _changed_members(content: bytes, rng: random.Random) -> bytes:
    """An archive one of whose arrays is another: of other bytes, shape or type."""
    with np.load(io.BytesIO(content)) as file:
        arrays = {name: file[name] for name in file.files}
    name = rng.choice(list(arrays))
    array = arrays[name]
    others = [
        array[:1],
        array.reshape(-1),
        array.astype(np.float16),
        array * 0,
        -array.astype(np.float64),
        array[..., None],
    ]
    others += [
        np.full(array.shape, np.nan),
        np.full(array.shape, 1e300),
        array.astype(np.int64) + (1 << 40),
        np.array(3),
    ]
    arrays[name] = rng.choice(others)
    packed = io.BytesIO()
    np.savez(packed, **arrays)
    return changed_bytes(packed.getvalue(), rng) if rng.random() < 0.1 else packed.getvalue()


def examine(reader: Callable[[Path], object], path: Path) -> str:
    """'refused' or 'read'; whatever else was raised is an error."""
    try:
        with at_most(SECONDS):
            reader(path)
    except ps.ProtosphereError as error:
        if not str(error).isprintable():
            raise AssertionError(f"a sentence that is none: {error!r}") from error
        return "refused"
    return "read"


def fuzz(count: int, seed: int = 0) -> dict[str, dict[str, int]]:
    """How many of `count` files of each format were refused, and how many read."""
    results: dict[str, dict[str, int]] = {}
    with tempfile.TemporaryDirectory() as name:
        for title, (source, reader) in formats(Path(name)).items():
            rng, held, found = random.Random(f"{title} {seed}"), peak_memory(), {"refused": 0, "read": 0}
            target = Path(name) / f"changed{source.suffix}"
            for number in range(count):
                target.write_bytes(changed(source, rng))
                try:
                    found[examine(reader, target)] += 1
                except BaseException as error:
                    kept = Path(tempfile.gettempdir()) / f"fuzz-{title}-{seed}-{number}{source.suffix}"
                    kept.write_bytes(target.read_bytes())
                    raise AssertionError(
                        f"{title}, number {number} of seed {seed}, kept as {kept}: {error!r}"
                    ) from error
            assert peak_memory() - held < 1 << 30, f"{title}: more than a gigabyte"
            results[title] = found
    return results


if __name__ == "__main__":
    torch.set_num_threads(1)
    sys.stdout.write(json.dumps(fuzz(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)) + "\n")
