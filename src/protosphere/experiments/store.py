"""The store of runs: a folder to which `train` and `sweep` write, and from which `report` and `paired` read.

A config holds all settings of a run. The record of a run holds its config, its status and its results.

Each run has a digest, a hash of its settings. The subfolder `records` has a JSON file DIGEST.json for each run that has
ended (done, infeasible or failed). The subfolder `work` has a folder DIGEST for each run, with checkpoint, metrics and
weights. Files are replaced atomically, so that a killed process leaves no incomplete file.
"""

import json
import shutil
from collections.abc import Iterable
from contextlib import AbstractContextManager, suppress
from pathlib import Path

from protosphere.errors import InvalidArgumentError, StorageError
from protosphere.experiments.config import TrainingConfig
from protosphere.experiments.record import RunRecord, record_from, record_from_row
from protosphere.extras import require
from protosphere.storage.csv_files import read_csv, write_csv
from protosphere.storage.files import (
    locked,
    make_folder,
    reading,
    replace_bytes,
    replace_file,
)

TABLE_ENDINGS = (".csv", ".parquet")


class Store:
    """A folder with the records and the files of runs.

    Any number of processes may read a store. Only one process at a time may write to it, inside the context `locked`.

    Args:
        folder: Path of the folder. It need not exist; it is created before a record is written.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.record_folder = self.folder / "records"

    def work_folder(self, digest: str) -> Path:
        """Return the folder for checkpoint, metrics and weights of the run with this digest."""
        return self.folder / "work" / digest

    def add(self, record: RunRecord) -> None:
        """Store a record. If the store has an earlier record of the same config, replace it."""
        make_folder(self.record_folder)
        replace_bytes(
            self.record_folder / f"{record.digest}.json", record.to_json().encode()
        )

    def get(self, digest: str) -> RunRecord | None:
        """Return the record of the run with this digest, or None if the store does not have it."""
        path = self.record_folder / f"{digest}.json"
        return _read_record(path) if path.exists() else None

    def records(self) -> list[RunRecord]:
        """Return all records, sorted by scheme, dimension, mapping and seed.

        Raises:
            StorageError: If the folder of the store does not exist, or if a record cannot be read.
        """
        if not self.folder.is_dir():
            raise StorageError(f"cannot read '{self.folder}': there is no such folder")
        found = [_read_record(path) for path in self.record_folder.glob("*.json")]
        return sorted(found, key=_order)

    def records_of(self, configs: Iterable[TrainingConfig]) -> list[RunRecord]:
        """Return the records of these configs, in the order of the configs. Configs without a record are skipped."""
        found = (self.get(config.digest) for config in configs)
        return [record for record in found if record is not None]

    def finish(self, record: RunRecord) -> None:
        """Store the record of a run, and delete the files of the run that are no longer needed.

        If the run is done, its checkpoint is deleted. If the run is infeasible, its whole folder is deleted.
        """
        self.add(record)
        folder = self.work_folder(record.digest)
        with suppress(OSError):
            if record.status == "done":
                (folder / "checkpoint.pt").unlink(missing_ok=True)
            elif record.status == "infeasible":
                shutil.rmtree(folder, ignore_errors=True)

    def locked(self) -> AbstractContextManager[None]:
        """Return a context manager that holds the write lock of the store. If the process ends, the lock is released.

        Raises:
            StorageError: If another process holds the lock.
        """
        make_folder(self.record_folder)
        return locked(self.folder, "sweep")


def _order(record: RunRecord) -> tuple[str, int, str, int, str]:
    config = record.config
    return config.scheme, config.dim, config.mapping, config.seed, record.digest


def _read_record(path: Path) -> RunRecord:
    with reading(path, "not the record of a run"):
        record = record_from(json.loads(path.read_text(encoding="utf-8")), str(path))
    if path.stem != record.digest:
        found = f"it holds the record of another run, {record.digest}"
        raise StorageError(
            f"cannot read '{path}': {found}; remove the file, and the sweep runs it again"
        )
    return record


def read_table(path: Path) -> list[RunRecord]:
    """Return the run records in a CSV file that `write_table` wrote, with one row per run.

    Args:
        path: Path of the file.

    Raises:
        StorageError: If the file cannot be read or is not such a table.
    """
    with reading(path, "not a table of runs"):
        columns, *rows = read_csv(path) or [[]]
        if any(len(cells) > len(columns) for cells in rows):
            raise StorageError(
                f"cannot read '{path}': not a table of runs (a line has more cells than columns)"
            )
        named = (dict(zip(columns, cells, strict=False)) for cells in rows)
        return [
            record_from_row(row, f"{path}, line {n}")
            for n, row in enumerate(named, start=2)
        ]


def records_at(path: str | Path) -> list[RunRecord]:
    """Return the run records in a .csv file or in a store of runs, which is a folder.

    Args:
        path: Path of the file or of the folder.

    Raises:
        StorageError: If the file or the folder does not exist or cannot be read.
    """
    if str(path).endswith(".csv"):
        return read_table(Path(path))
    return Store(path).records()


def write_table(records: Iterable[RunRecord], path: Path) -> Path:
    """Write run records as a table with one row per record, and return the path of the table.

    Args:
        records: Records to write.
        path: Path of a .csv or .parquet file.

    Raises:
        InvalidArgumentError: If the path has another ending, or if there are no records.
    """
    rows = [record.row() for record in records]
    if path.suffix not in TABLE_ENDINGS:
        raise InvalidArgumentError(
            f"a table's name must end in {' or '.join(TABLE_ENDINGS)}, got '{path.name}'"
        )
    if not rows:
        raise InvalidArgumentError("there are no runs to write yet")
    if path.suffix == ".csv":
        return write_csv(
            path, list(dict.fromkeys(name for row in rows for name in row)), rows
        )
    table = require("pyarrow").Table.from_pylist(rows)
    return replace_file(
        path, lambda beside: require("pyarrow.parquet").write_table(table, beside)
    )
