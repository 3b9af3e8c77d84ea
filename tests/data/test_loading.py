"""Where data is found, and how it is fetched: from a server of our own, cut off, resumed, forged, gone."""

from __future__ import annotations

import gzip
import hashlib
import http.server
import struct
import threading
from dataclasses import replace

import numpy as np
import pytest

from protosphere.data import DATASETS, dataset_facts, load_dataset
from protosphere.data.dataset_loading import VARIABLE
from protosphere.data.download import BLOCK_BYTES, UnreachableError, downloaded
from protosphere.data.mnist import MNIST_DIGESTS
from protosphere.data.registry import RemoteFile, dataset
from protosphere.errors import InvalidArgumentError, StorageError

IDX_NAMES = tuple(MNIST_DIGESTS)
CONTENT = np.random.default_rng(1).bytes(300_000)


class Server(http.server.BaseHTTPRequestHandler):
    """Serves bytes with ranges, and breaks off after `limit` bytes while that is set."""

    content = CONTENT
    limit: int | None = None
    ranges = True
    asked: list[str | None]

    def do_GET(self):
        wanted = self.headers.get("Range")
        self.asked.append(wanted)
        if wanted and self.ranges:
            start = int(wanted.removeprefix("bytes=").rstrip("-"))
        else:
            start = 0
        if start >= len(self.content):
            self.send_error(416)
            return
        body = self.content[start:]
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body if self.limit is None else body[: self.limit])

    def log_message(self, *arguments):
        pass


@pytest.fixture
def server():
    handler = type("Handler", (Server,), {"asked": []})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        handler.url = f"http://127.0.0.1:{running.server_port}/file.gz"
        yield handler
        running.shutdown()
        thread.join()


def remote(server, content=CONTENT):
    return RemoteFile(
        "file.gz", server.url, "sha256:" + hashlib.sha256(content).hexdigest()
    )


def test_download_with_progress(server, tmp_path):
    seen = []
    path = downloaded(
        remote(server), tmp_path, progress=lambda *step: seen.append(step)
    )
    assert path.read_bytes() == CONTENT
    assert seen[-1] == ("downloading file.gz", len(CONTENT), len(CONTENT))
    assert [p.name for p in tmp_path.iterdir()] == ["file.gz"]


def test_a_broken_download_is_resumed(server, tmp_path):
    server.limit = 100_000
    with pytest.raises(
        UnreachableError, match=r"the connection broke after|IncompleteRead"
    ):
        downloaded(remote(server), tmp_path)
    assert not (tmp_path / "file.gz").exists()
    server.limit = None
    assert downloaded(remote(server), tmp_path).read_bytes() == CONTENT
    first, second = server.asked
    assert first is None
    assert second == f"bytes={100_000 // BLOCK_BYTES * BLOCK_BYTES}-"


def test_a_server_without_ranges_starts_again(server, tmp_path):
    server.limit = 100_000
    with pytest.raises(UnreachableError):
        downloaded(remote(server), tmp_path)
    server.limit = None
    server.ranges = False
    assert downloaded(remote(server), tmp_path).read_bytes() == CONTENT


def test_a_complete_part_is_only_checked(server, tmp_path):
    (tmp_path / ".file.gz.part").write_bytes(CONTENT)
    assert downloaded(remote(server), tmp_path).read_bytes() == CONTENT


def test_a_wrong_digest_is_refused_and_not_kept(server, tmp_path):
    with pytest.raises(StorageError, match="brought another file than its publishers'"):
        downloaded(remote(server, b"other"), tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_closed_door_is_named_in_one_sentence(tmp_path):
    with pytest.raises(
        UnreachableError, match=r"^cannot download .*: Connection refused; run it again"
    ):
        downloaded(RemoteFile("x", "http://127.0.0.1:9/x", "md5:0"), tmp_path)


def test_other_addresses_are_refused(tmp_path):
    with pytest.raises(StorageError, match="want an http or https address"):
        downloaded(RemoteFile("passwd", "file:///etc/passwd", "md5:0"), tmp_path)


def write_idx(folder, packed=True):
    folder.mkdir(parents=True)
    for name, array in zip(
        IDX_NAMES,
        (np.zeros((3, 2, 2)), np.arange(3), np.zeros((1, 2, 2)), np.zeros(1)),
        strict=True,
    ):
        header = bytes((0, 0, 8, array.ndim)) + struct.pack(
            f">{array.ndim}I", *array.shape
        )
        content = header + array.astype(np.uint8).tobytes()
        (folder / (name if packed else name[:-3])).write_bytes(
            gzip.compress(content) if packed else content
        )


@pytest.fixture
def alone(tmp_path, monkeypatch):
    """No data anywhere, and no network."""
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name in ("mnist", "cifar100"):
        serve_from(monkeypatch, name, lambda file: "http://127.0.0.1:9/" + file.name)
    return tmp_path


def serve_from(monkeypatch, name, url, digest=None):
    """The same dataset with its files at other addresses."""
    entry = DATASETS[name]
    files = tuple(
        RemoteFile(f.name, url(f), digest(f) if digest else f.digest)
        for f in entry.files
    )
    monkeypatch.setitem(
        DATASETS._entries, name, replace(entry, files=files, system_folder=None)
    )


@pytest.mark.parametrize("packed", [True, False])
def test_folders_are_looked_through_in_order(alone, monkeypatch, packed):
    write_idx(alone / "cache" / "protosphere" / "mnist", packed)
    assert len(load_dataset("mnist").x_train) == 3
    monkeypatch.setenv(VARIABLE, str(alone / "variable"))
    write_idx(alone / "variable")
    (alone / "variable" / IDX_NAMES[0]).write_bytes(b"damaged")
    with pytest.raises(StorageError, match="variable"):
        load_dataset("mnist")
    write_idx(alone / "asked")
    assert len(load_dataset("mnist", data_dir=alone / "asked").x_train) == 3


def test_missing_data_says_what_to_put_where(alone):
    with pytest.raises(StorageError) as refusal:
        load_dataset("cifar100")
    said = str(refusal.value)
    assert "put cifar-100-binary.tar.gz into" in said
    assert str(alone / "cache" / "protosphere" / "cifar100") in said
    assert "--data-dir or $PROTOSPHERE_DATA" in said
    with pytest.raises(StorageError, match="is not on this machine; put"):
        load_dataset("cifar100", download=False)


def test_unknown_names(tmp_path):
    with pytest.raises(InvalidArgumentError, match="did you mean 'mnist'"):
        load_dataset("mnits")
    with pytest.raises(StorageError, match="there is no such file"):
        load_dataset(str(tmp_path / "none.npz"))


def test_fetched_from_the_official_place(server, alone, monkeypatch):
    write_idx(alone / "served")
    content = [(alone / "served" / name).read_bytes() for name in IDX_NAMES]
    server.content = content[0]
    served = {IDX_NAMES[0]: "sha256:" + hashlib.sha256(content[0]).hexdigest()}
    serve_from(
        monkeypatch,
        "mnist",
        lambda f: server.url,
        lambda f: served.get(f.name, "md5:0"),
    )
    folder = alone / "cache" / "protosphere" / "mnist"
    folder.mkdir(parents=True)
    for name, body in zip(IDX_NAMES[1:], content[1:], strict=True):
        (folder / name).write_bytes(body)
    assert len(load_dataset("mnist").x_train) == 3


def test_features_that_are_nowhere(alone):
    with pytest.raises(
        StorageError, match=r"put cifar100_efficientnet_lite0.npz into '.*features'"
    ):
        load_dataset("cifar100-features")
    write_features(alone / "cache" / "protosphere" / "features")
    data = load_dataset("cifar100-features")
    assert (data.name, data.is_features, data.input_shape) == (
        "cifar100-features",
        True,
        (3,),
    )


def write_features(folder):
    folder.mkdir(parents=True)
    x = np.arange(300, dtype=np.int8).reshape(100, 3)
    y = np.arange(100)
    np.savez(
        folder / "cifar100_efficientnet_lite0.npz",
        x_train=x,
        y_train=y,
        x_test=x,
        y_test=y,
        step=np.ones(3),
    )


def test_what_is_known_beforehand(tmp_path, alone):
    assert dataset_facts("cifar10").num_classes == 10
    assert not dataset_facts("digits").is_features
    write_features(tmp_path / "mine")
    facts = dataset_facts(str(tmp_path / "mine" / "cifar100_efficientnet_lite0.npz"))
    assert (facts.num_classes, facts.is_features) == (100, True)


def test_every_entry_is_one():
    for name, entry in DATASETS.items():
        assert entry.name == name
        assert entry.num_classes >= 2
        assert entry.summary
    with pytest.raises(
        InvalidArgumentError, match="a dataset named 'mnist' is registered already"
    ):
        dataset("mnist", 10, summary="")(lambda files: None)
