"""The rules of the house that a linter does not know."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = sorted(
    path for folder in ("src", "tests", "benchmarks", "examples", "tools") for path in (ROOT / folder).rglob("*.py")
)
NAMES = [str(path.relative_to(ROOT)) for path in FILES]


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_a_file_is_one_idea(path):
    assert len(path.read_text().splitlines()) <= 250
    assert path.stem not in {"utils", "common", "base", "helpers", "misc"}


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_no_pickle_is_loaded(path):
    tree = ast.parse(path.read_text())
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert not imported & {"pickle", "dill", "joblib", "cloudpickle"}


@pytest.mark.parametrize("path", [p for p in FILES if "src" in p.parts], ids=[n for n in NAMES if n.startswith("src")])
def test_public_functions_say_what_they_do(path):
    tree = ast.parse(path.read_text())
    public = [
        node
        for node in tree.body
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_")
    ]
    assert ast.get_docstring(tree), "the module"
    assert all(ast.get_docstring(node) for node in public), [n.name for n in public if not ast.get_docstring(n)]
