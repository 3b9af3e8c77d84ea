"""Version of the package. The build reads it, and the provenance of every code file contains it."""

__version__ = "0.1.0"
