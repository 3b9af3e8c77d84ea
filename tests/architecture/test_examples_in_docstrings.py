"""Every example in a docstring runs and prints what it says."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import protosphere

MODULES = [module.name for module in pkgutil.walk_packages(protosphere.__path__, "protosphere.")]


@pytest.mark.parametrize("name", ["protosphere", *(name for name in MODULES if "__main__" not in name)])
def test_examples(name):
    assert doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS).failed == 0
