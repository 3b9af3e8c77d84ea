"""The examples in the docstrings of this room run."""

import doctest
import importlib
import pkgutil

import pytest

from protosphere import coding as codes


@pytest.mark.parametrize(
    "name", [info.name for info in pkgutil.iter_modules(codes.__path__)]
)
def test_examples(name: str) -> None:
    assert (
        doctest.testmod(importlib.import_module(f"protosphere.coding.{name}")).failed
        == 0
    )
