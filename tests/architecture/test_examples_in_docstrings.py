"""Every example in a docstring runs and prints what it says."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import protosphere
import reproduction

MODULES = [
    module.name
    for package in (protosphere, reproduction)
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
]


@pytest.mark.parametrize(
    "name", ["protosphere", *(name for name in MODULES if "__main__" not in name)]
)
def test_examples(name):
    assert (
        doctest.testmod(
            importlib.import_module(name), optionflags=doctest.ELLIPSIS
        ).failed
        == 0
    )
