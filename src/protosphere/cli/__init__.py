"""The command line, one file a command: `protosphere --help`."""

from protosphere.cli.app import main

__all__ = ["main"]
