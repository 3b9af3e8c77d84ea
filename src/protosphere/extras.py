"""Packages that only some users need, imported where they are used: an extra of the install line brings each."""

from importlib import import_module
from typing import Any

from protosphere.errors import ProtosphereError

EXTRAS = {
    "lightning_fabric": "train",
    "matplotlib": "plots",
    "onnx": "export",
    "onnxruntime": "onnx",
    "onnxscript": "export",
    "plotly": "plots",
    "pooch": "train",
    "pyarrow": "parquet",
    "ray": "ray",
    "sklearn": "sklearn",
}
"""The packages by the name they are imported by, and the extra that brings each; pyproject.toml says the same."""


class MissingExtraError(ProtosphereError, ImportError):
    """A package that is not installed; the message is the line that installs it."""


def require(module: str) -> Any:
    """A module of a package that an extra brings; MissingExtraError where it is not there.

    >>> require("plotly.graph_objects").__name__
    'plotly.graph_objects'
    """
    package = module.partition(".")[0]
    try:
        return import_module(module)
    except ImportError as error:
        absent = str(error.name).partition(".")[0] == package
        # it is there, and lacks something itself
        if absent:
            reason = ""
        else:
            reason = f" ({error})"
        line = f"pip install 'protosphere[{EXTRAS[package]}]'"
        raise MissingExtraError(
            f"this needs {package.replace('_', '-')}{reason}: {line}", name=package
        ) from error
