"""The command line, with one file per command: `protosphere --help`."""

from protosphere.cli.app import main

__all__ = ["main"]
