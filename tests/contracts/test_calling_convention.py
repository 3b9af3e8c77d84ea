"""One rule for K and n: `num_classes` first, `dim` right after it, both by position or by name."""

from __future__ import annotations

import inspect

import pytest
from torch import nn

import protosphere as ps
import protosphere.nn
from protosphere.errors import InvalidArgumentError
from protosphere.nn import PrototypeClassifier, PrototypeHead, attach

EITHER = inspect.Parameter.POSITIONAL_OR_KEYWORD
PUBLIC = {
    f"{module.__name__}.{name}": getattr(module, name)
    for module in (ps, ps.bounds, protosphere.nn)
    for name in vars(module)
    if not name.startswith("_") and callable(getattr(module, name))
}
SIZES = {"dim", "dims"}


def parameters(function):
    return list(inspect.signature(function).parameters.values())


TAKING_BOTH = [
    name
    for name, function in PUBLIC.items()
    if {"num_classes"} <= (names := {one.name for one in parameters(function)})
    and names & SIZES
]


@pytest.mark.parametrize("name", TAKING_BOTH)
def test_dim_follows_num_classes_and_both_go_by_position_or_name(name):
    given = parameters(PUBLIC[name])
    first = next(i for i, one in enumerate(given) if one.name == "num_classes")
    assert given[first + 1].name in SIZES
    assert given[first].kind == given[first + 1].kind == EITHER


def test_the_rule_is_asked_of_the_functions_that_people_call():
    assert {"protosphere.best", "protosphere.construct", "protosphere.compare"} <= set(
        TAKING_BOTH
    )
    assert {"protosphere.nn.PrototypeHead", "protosphere.nn.attach"} <= set(TAKING_BOTH)
    assert {f"protosphere.bounds.{name}" for name in ps.bounds.BOUNDS} <= set(
        TAKING_BOTH
    )


def small_model():
    return nn.Sequential(nn.Linear(4, 3))


CALLS = {
    "best": lambda *a, **k: ps.best(*a, **k).points.tolist(),
    "construct": lambda *a, **k: ps.construct("simplex", *a, **k).points.tolist(),
    "converse": ps.bounds.converse,
    "achievable": ps.bounds.achievable,
    **ps.bounds.BOUNDS,
    "PrototypeHead": lambda *a, **k: PrototypeHead(*a, **k).prototypes().tolist(),
    "attach": lambda *a, **k: (
        attach(small_model(), *a, **k)[0][1].prototypes().tolist()
    ),
}
DIMS = {"coxeter_boroczky": 4, "one_hot": 12}
"""Where 9 dimensions are none of a bound's."""
CLASSES = {"proved_optimum": 60}
"""Where 10 classes are none of a bound's."""


@pytest.mark.parametrize("name", CALLS)
def test_every_form_gives_the_same(name):
    call = getattr(CALLS[name], "function", CALLS[name])
    dim = DIMS.get(name, 9)
    classes = CLASSES.get(name, 10)
    by_position = call(classes, dim)
    assert call(classes, dim=dim) == by_position
    assert call(num_classes=classes, dim=dim) == by_position
    assert call(dim=dim, num_classes=classes) == by_position


def test_one_dimension_or_several():
    schemes = ["simplex"]
    assert ps.compare(10, 9, schemes=schemes) == ps.compare(10, [9], schemes=schemes)
    assert ps.compare(num_classes=10, dims=[9], schemes=schemes) == ps.compare(
        10, [9], schemes=schemes
    )


def test_an_estimator_takes_its_dimension_either_way():
    assert PrototypeClassifier(9).dim == PrototypeClassifier(dim=9).dim == 9


def test_a_head_takes_a_code_or_a_number_of_classes():
    code = ps.best(10, 9)
    for head in (PrototypeHead(code), PrototypeHead(num_classes=code)):
        assert head.code is code
    with pytest.raises(
        InvalidArgumentError, match="'dim' must be an integer of at least 1, got None"
    ):
        ps.construct("simplex", 10)
