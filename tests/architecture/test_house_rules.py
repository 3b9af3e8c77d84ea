"""Rules of the house that no linter checks."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from protosphere.cli.app import COMMANDS as PROTOSPHERE_COMMANDS
from reproduction.app import COMMANDS as REPRODUCTION_COMMANDS

ROOT = Path(__file__).parents[2]
FILES = sorted(
    path
    for folder in ("src", "reproduction", "tests", "benchmarks", "examples", "tools")
    for path in (ROOT / folder).rglob("*.py")
)
NAMES = [str(path.relative_to(ROOT)) for path in FILES]


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_a_file_is_named_for_one_idea(path):
    assert path.stem not in {"utils", "common", "base", "helpers", "misc"}


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_no_pickle_is_loaded(path):
    tree = ast.parse(path.read_text())
    imported = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    assert not imported & {"pickle", "dill", "joblib", "cloudpickle"}


DOCUMENTED = [name for name in NAMES if name.startswith(("src/", "reproduction/"))]


@pytest.mark.parametrize("path", [ROOT / name for name in DOCUMENTED], ids=DOCUMENTED)
def test_public_functions_say_what_they_do(path):
    tree = ast.parse(path.read_text())
    public = [
        node
        for node in tree.body
        if isinstance(node, (ast.FunctionDef, ast.ClassDef))
        and not node.name.startswith("_")
    ]
    assert ast.get_docstring(tree), "the module"
    assert all(ast.get_docstring(node) for node in public), [
        n.name for n in public if not ast.get_docstring(n)
    ]


SOURCES = {path: ast.parse(path.read_text()) for path in FILES if "src" in path.parts}
PACKAGE = ROOT / "src" / "protosphere"

SAME_STEM = {
    "registry": "the list of each room that has one",
    "one_hot": "the bound, and the points that meet it",
    **dict.fromkeys(
        ("bch", "reed_muller", "reed_solomon", "shortened_cosets"),
        "the code, and its points on the sphere",
    ),
    **dict.fromkeys(
        ("cosets", "linear", "simplices", "simplex"),
        "the mathematics, the structure, the projection",
    ),
    "hadamard": "the matrices, and the projection by them",
    "dense": "the backbone of dense layers, and the projection by a dense matrix",
    "checkpoint": "of a head, and of a training run",
    "classifier": "of scikit-learn, and the network that is trained",
    "accuracy": "the metric, and its figure",
    "features": "of classes, and of examples",
    "severity": "the measures, and the metrics by them",
    "similarity": "the matrix, and its figure",
}
"""Files of one name in different rooms by intent; a command may have the name of what it calls."""

SAME_FUNCTION = {
    **dict.fromkeys(
        ("bch", "reed_muller"), "the linear code, and its points on the sphere"
    ),
    "one_hot": "the bound, and the points that meet it",
    "best": "the function, and the construction behind it",
    **dict.fromkeys(
        ("mistake_severity", "superclass_accuracy"), "the measure, and the metric by it"
    ),
    "load": "the file's content, and the code made of it",
    **dict.fromkeys(
        ("log_sum_exp", "weighted_prototypes"),
        "the function of tensors, and its operator in a graph",
    ),
}


def test_no_class_name_is_defined_twice():
    places = {}
    for path, tree in SOURCES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(str(path.relative_to(PACKAGE)))
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_a_public_function_name_means_one_thing():
    places = {}
    for path, tree in SOURCES.items():
        if path.parent.name == "cli":
            continue  # a command is a shell over the function of its name
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(str(path.relative_to(PACKAGE)))
    twice = {name: found for name, found in places.items() if len(found) > 1}
    assert {
        name: found for name, found in twice.items() if name not in SAME_FUNCTION
    } == {}


def test_a_file_name_means_one_thing():
    places = {}
    for path in SOURCES:
        if path.parent.name != "cli" and path.stem != "__init__":
            places.setdefault(path.stem, []).append(str(path.relative_to(PACKAGE)))
    twice = {stem: found for stem, found in places.items() if len(found) > 1}
    assert {stem: found for stem, found in twice.items() if stem not in SAME_STEM} == {}


@pytest.mark.parametrize(
    ("package", "commands", "folder"),
    [
        ("protosphere.cli", PROTOSPHERE_COMMANDS, PACKAGE / "cli"),
        (
            "reproduction.commands",
            REPRODUCTION_COMMANDS,
            ROOT / "reproduction" / "commands",
        ),
    ],
)
def test_commands_do_not_import_commands(package, commands, folder):
    homes = {
        f"{package}.{command.home(name).partition(':')[0]}"
        for name, command in commands.items()
    }
    for path in folder.glob("*.py"):
        tree = ast.parse(path.read_text())
        imported = {
            node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)
        }
        assert not imported & homes, path.name
