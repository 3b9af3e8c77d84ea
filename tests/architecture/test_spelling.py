"""Public names, command-line flags and config fields have American spelling."""

from __future__ import annotations

import dataclasses
import inspect
import re
from importlib import import_module

import pytest
from tests.architecture.test_api_reference import PUBLIC, public_names

from protosphere.cli.app import COMMANDS, program
from protosphere.constructions.registry import CONSTRUCTIONS
from protosphere.nn.losses import LOSSES

BRITISH = re.compile(
    r"colour|favour|honour|neighbour|behaviour|labour"
    r"|centre|centring|metre|grey|licence|artefact|programme|fulfil$"
    r"|analys[ei]|catalys|(label|model|cancel|travel|signal|channel)l(ed|ing|er)"
    r"|(optim|normal|initial|regular|summar|organ|recogn|serial|general|random|equal"
    r"|visual|quant|maxim|minim|standard|special|final|real|util|parallel|discret"
    r"|central|local|symmetr|orthogonal|token|vector|penal|weight|total|author"
    r"|priorit|categor|character|emphas|categor)is(e|ed|er|ers|es|ing|ation|ations)$"
)
"""Parts of words that the American spelling does not have."""


def parts(name):
    """The words of an identifier, in lower case.

    >>> parts("NormalisedHead"), parts("--grey-scale")
    (['normalised', 'head'], ['grey', 'scale'])
    """
    spaced = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name)
    return re.findall(r"[a-z]+", spaced.lower())


def british(names):
    """The names that have a British word in them."""
    return sorted(
        {name for name in names if any(BRITISH.search(word) for word in parts(name))}
    )


def members(thing):
    """The public names of a class: methods, properties and fields."""
    names = [name for name in vars(thing) if not name.startswith("_")]
    if dataclasses.is_dataclass(thing):
        names += [field.name for field in dataclasses.fields(thing)]
    return names


def parameters(thing):
    """The names of the parameters of a function, or of a class and of its methods."""
    if not inspect.isclass(thing):
        return list(inspect.signature(thing).parameters)
    functions = [thing.__init__, *vars(thing).values()]
    return [
        name
        for function in functions
        if inspect.isfunction(function)
        for name in inspect.signature(function).parameters
    ]


@pytest.mark.parametrize("module", PUBLIC)
def test_public_names_are_american(module):
    names = public_names(module)
    for thing in [getattr(import_module(module), name) for name in names]:
        if inspect.isclass(thing):
            names += members(thing)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            names += parameters(thing)
    assert british(names) == []


@pytest.mark.parametrize("command", COMMANDS)
def test_flags_are_american(command):
    arguments = program()[command].assemble_argument_collection()
    flags = [flag for argument in arguments for flag in argument.names]
    assert british([command, *flags]) == []


def test_names_and_options_of_schemes_and_losses_are_american():
    names = [*CONSTRUCTIONS, *LOSSES]
    for entry in (*CONSTRUCTIONS.values(), *LOSSES.values()):
        names += entry.options
    assert british(names) == []


def test_british_words_are_recognized():
    names = ["optimiser", "NormalisedHead", "grey", "noise", "pairwise", "four_raised"]
    assert british(names) == ["NormalisedHead", "grey", "optimiser"]
