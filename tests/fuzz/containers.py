"""Formats taken apart into arrays and header, and put together again: so that what is inside can be changed."""

from __future__ import annotations

import copy
import csv
import gzip
import io
import json
import random
import tarfile
import tomllib
import warnings
import zlib
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import torch
from safetensors.numpy import load, save
from tests.fuzz.mutations import change_arrays, change_header, changed_bytes

from protosphere.nn.checkpoint import MAGIC


class Container(NamedTuple):
    """How a format is taken apart, into arrays by name and header, and put together."""

    unpack: Callable[[bytes], tuple[dict[str, Any], Any]]
    pack: Callable[[dict[str, Any], Any], bytes]


def changed(content: bytes, container: Container | None, rng: random.Random) -> bytes:
    """A few things inside, or a few bytes, other ones."""
    if container is None or rng.random() < 0.25:
        return changed_bytes(content, rng)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            arrays, header = container.unpack(content)
            for _ in range(rng.randint(1, 3)):
                in_header = header and (not arrays or rng.random() < 0.5)
                (change_header if in_header else change_arrays)(arrays, header, rng)
            return container.pack(arrays, header)
        except Exception:  # what the writer cannot hold no file holds
            return changed_bytes(content, rng)


def _npz(content: bytes) -> tuple[dict[str, Any], Any]:
    with np.load(io.BytesIO(content)) as file:
        return {name: file[name] for name in file.files}, {}


def _to_npz(arrays: dict[str, Any], header: Any) -> bytes:
    packed = io.BytesIO()
    np.savez(packed, **arrays)
    return packed.getvalue()


def _npy(content: bytes) -> tuple[dict[str, Any], Any]:
    return {"rows": np.load(io.BytesIO(content))}, {}


def _to_npy(arrays: dict[str, Any], header: Any) -> bytes:
    packed = io.BytesIO()
    np.save(packed, next(iter(arrays.values())))
    return packed.getvalue()


def _to_lines(arrays: dict[str, Any], header: Any) -> bytes:
    return "".join(json.dumps(line) + "\n" for line in header).encode()


def _toml_value(value: Any) -> str:
    if isinstance(value, dict):
        return (
            "{"
            + ", ".join(
                f"{json.dumps(str(key))} = {_toml_value(one)}"
                for key, one in value.items()
            )
            + "}"
        )
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml_value, value)) + "]"
    return json.dumps(value)


def _to_toml(arrays: dict[str, Any], header: Any) -> bytes:
    return "".join(
        f"{json.dumps(key)} = {_toml_value(value)}\n" for key, value in header.items()
    ).encode()


def _to_csv(arrays: dict[str, Any], header: Any) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows(
        row if isinstance(row, list) else [row] for row in header
    )
    return text.getvalue().encode()


def _weights(content: bytes) -> tuple[dict[str, Any], Any]:
    header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
    return {name: array.copy() for name, array in load(content).items()}, {
        name: json.loads(text) for name, text in header.get("__metadata__", {}).items()
    }


def _to_weights(arrays: dict[str, Any], header: Any) -> bytes:
    return save(
        {name: np.ascontiguousarray(array) for name, array in arrays.items()},
        _metadata(header),
    )


def _metadata(header: Any) -> dict[str, str]:
    return {name: json.dumps(value) for name, value in header.items()}


def _state(content: bytes) -> tuple[dict[str, Any], Any]:
    """A state of a head with the code inside it taken apart too."""
    (name, state), *others = sorted(
        load(content).items(), key=lambda item: -item[1].size
    )
    raw = state.tobytes()
    start = len(MAGIC) + 8
    stop = start + int.from_bytes(raw[len(MAGIC) : start], "little")
    code, code_header = _weights(zlib.decompress(raw[stop:]))
    return code, {
        "header": json.loads(raw[start:stop]),
        "code": code_header,
        "others": dict(others),
        "name": name,
    }


def _to_state(arrays: dict[str, Any], header: Any) -> bytes:
    text = json.dumps(header["header"]).encode()
    code = zlib.compress(_to_weights(arrays, header["code"]), 1)
    raw = np.frombuffer(MAGIC + len(text).to_bytes(8, "little") + text + code, np.uint8)
    return save({header["name"]: raw} | header["others"])


def _pt(content: bytes) -> tuple[dict[str, Any], Any]:
    return {}, copy.deepcopy(torch.load(io.BytesIO(content), weights_only=True))


def _to_pt(arrays: dict[str, Any], header: Any) -> bytes:
    packed = io.BytesIO()
    torch.save(header, packed)
    return packed.getvalue()


def _tar(content: bytes) -> tuple[dict[str, Any], Any]:
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        found = {member.name: archive.extractfile(member) for member in archive}
        arrays = {
            name: np.frombuffer(file.read(), np.uint8).copy()
            for name, file in found.items()
            if file
        }
    return arrays, {
        name: {"name": name, "size": len(array), "type": 0}
        for name, array in arrays.items()
    }


def _to_tar(arrays: dict[str, Any], header: Any) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz", compresslevel=1) as archive:
        for name, array in arrays.items():
            told = header.get(name, {})
            content = array.tobytes()
            member = tarfile.TarInfo(told.get("name", name))
            member.size = told.get("size", len(content))
            member.type = str(told.get("type", 0))[:1].encode()
            archive.fileobj.write(
                member.tobuf() + content + bytes(-len(content) % 512)
            )  # a size may be a lie
    return packed.getvalue()


def _gzip(content: bytes) -> tuple[dict[str, Any], Any]:
    return {"content": np.frombuffer(gzip.decompress(content), np.uint8).copy()}, {}


def _to_gzip(arrays: dict[str, Any], header: Any) -> bytes:
    return gzip.compress(next(iter(arrays.values())).tobytes(), 1)


def _text(content: bytes) -> tuple[dict[str, Any], Any]:
    return {}, [line.split() for line in content.decode().splitlines()]


def _to_text(arrays: dict[str, Any], header: Any) -> bytes:
    return "\n".join(
        " ".join(map(str, line)) if isinstance(line, list) else str(line)
        for line in header
    ).encode()


CONTAINERS = {
    ".npz": Container(_npz, _to_npz),
    ".npy": Container(_npy, _to_npy),
    ".json": Container(
        lambda content: ({}, json.loads(content)),
        lambda _, header: json.dumps(header).encode(),
    ),
    ".jsonl": Container(
        lambda content: ({}, [*map(json.loads, content.splitlines())]), _to_lines
    ),
    ".toml": Container(lambda content: ({}, tomllib.loads(content.decode())), _to_toml),
    ".csv": Container(
        lambda content: ({}, [*csv.reader(io.StringIO(content.decode()))]), _to_csv
    ),
    ".safetensors": Container(_weights, _to_weights),
    ".state": Container(_state, _to_state),
    ".pt": Container(_pt, _to_pt),
    ".tgz": Container(_tar, _to_tar),
    ".gz": Container(_gzip, _to_gzip),
    ".txt": Container(_text, _to_text),
}
