"""The command line `protosphere`, with one module per command."""

from protosphere.cli.app import main

__all__ = ["main"]
