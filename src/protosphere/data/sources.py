"""Which files a dataset is made of, where they officially are, and the digests of what a download must bring."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class RemoteFile:
    """One file to download.

    Attributes:
        name: of the file.
        url: where it is; empty for a file that is nowhere to be downloaded.
        digest: `md5:` or `sha256:` and the hexadecimal digest its publishers give; of a download only, since a folder
            of the user's may hold the same content packed in another way.
    """

    name: str
    url: str
    digest: str


@dataclass(frozen=True)
class Source:
    """Where a dataset comes from: its files, the folder they are kept in, and where a system may have them already.

    The folder is named like the dataset unless `folder` says otherwise.
    """

    name: str
    files: tuple[RemoteFile, ...]
    system_folder: str | None = None
    folder: str | None = None

    @property
    def kept_in(self) -> str:
        """The name of its folder among the data."""
        return self.folder or self.name


def remote_files(url: str, digests: Mapping[str, str]) -> tuple[RemoteFile, ...]:
    """Files of one place, by their names."""
    return tuple(RemoteFile(name, url + name, digest) for name, digest in digests.items())
