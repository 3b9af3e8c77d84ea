"""Where data is looked for: the folder asked for, then $PROTOSPHERE_DATA, then the user's cache."""

import os
from pathlib import Path

from protosphere.data.sources import Source
from protosphere.files import cache_folder

VARIABLE = "PROTOSPHERE_DATA"


def data_roots(data_dir: Path | None) -> tuple[Path, ...]:
    """The folders to look in, in order; a download goes into the first. None where there is not even a home."""
    chosen = os.environ.get(VARIABLE)
    return tuple(root for root in (data_dir, Path(chosen) if chosen else None, cache_folder()) if root is not None)


def found_in_roots(path: Path) -> Path:
    """The path as it is, or where that is no file, below one of the folders where data is looked for."""
    below = (root / path for root in data_roots(None))
    return path if path.is_file() else next((found for found in below if found.is_file()), path)


def found_files(source: Source, roots: tuple[Path, ...]) -> tuple[Path, ...] | None:
    """The files of a dataset in the first folder that has them all, packed or not; None where no folder has."""
    folders = [place for root in roots for place in (root / source.kept_in, root)]
    if source.system_folder is not None:
        folders.append(Path(source.system_folder))
    for folder in folders:
        paths = [_either(folder, file.name) for file in source.files]
        present = tuple(path for path in paths if path is not None)
        if len(present) == len(paths):
            return present
    return None


def _either(folder: Path, name: str) -> Path | None:
    """The file, or the same without its .gz."""
    candidates = (folder / name, folder / name.removesuffix(".gz"))
    return next((path for path in candidates if path.is_file()), None)
