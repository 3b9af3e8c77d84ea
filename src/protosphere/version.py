"""The version, read by the build and written into every file's provenance."""

__version__ = "0.1.0"
