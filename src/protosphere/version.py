"""Version of the package; the build reads it, and it is stored in the provenance of every code file."""

__version__ = "0.1.0"
