"""The version of the package, which the build reads and every file's provenance contains."""

__version__ = "0.1.0"
