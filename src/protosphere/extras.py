"""Import optional packages, such as matplotlib, when they are needed.

An optional package is installed by an extra of protosphere, for example by `pip install protosphere[plots]`.
"""

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
"""Name of the extra that installs an optional package, by the name of its module; pyproject.toml has the same table."""


class MissingExtraError(ProtosphereError, ImportError):
    """Error for an optional package that is not installed. The message contains the command that installs it.

    Example:
        >>> from protosphere.extras import MissingExtraError
        >>> issubclass(MissingExtraError, ImportError)
        True
    """


def require(module: str) -> Any:
    """Import and return a module of an optional package.

    Args:
        module: Full name of the module, such as "plotly.graph_objects".

    Returns:
        The module.

    Raises:
        MissingExtraError: If the package is not installed, or if another package that it imports is not installed.

    >>> require("plotly.graph_objects").__name__
    'plotly.graph_objects'
    """
    package = module.partition(".")[0]
    try:
        return import_module(module)
    except ImportError as error:
        is_absent = str(error.name).partition(".")[0] == package
        reason = "" if is_absent else f" ({error})"  # it lacks something itself
        line = f"pip install 'protosphere[{EXTRAS[package]}]'"
        raise MissingExtraError(
            f"this needs {package.replace('_', '-')}{reason}: {line}", name=package
        ) from error
