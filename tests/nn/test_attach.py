"""`attach` on stand-ins of each library's style: the classifier is found, replaced, and the model trains."""

from __future__ import annotations

import json

import pytest
import torch
from safetensors.torch import load_file, save_file
from tests.nn.library_models import (
    STYLES,
    VGG,
    Distilled,
    ForImageClassification,
    GoogLeNet,
    ResNet,
    SqueezeNet,
)
from torch import nn

from protosphere.errors import InvalidArgumentError
from protosphere.nn import PrototypeHead, attach, prototype_head


@pytest.mark.parametrize("make", STYLES, ids=lambda make: make.__name__)
def test_the_classifier_is_replaced_and_learns(make):
    torch.manual_seed(0)
    model = make()
    assert attach(model, 10, dim=9) is model
    head = prototype_head(model)
    assert isinstance(head, PrototypeHead)
    answer = model(torch.randn(4, 3, 8, 8))
    logits = getattr(answer, "logits", answer)
    assert logits.shape == (4, 10)
    nn.functional.cross_entropy(logits, torch.arange(4)).backward()
    assert all(parameter.grad is not None for parameter in model.parameters())
    for holder in (model, getattr(model, "config", None)):
        assert {
            getattr(holder, name, 10) for name in ("num_classes", "num_labels")
        } == {10}


def test_what_comes_before_the_last_layer_stays():
    model = VGG()
    hidden = model.classifier[0]
    attach(model, 10, dim=9)
    assert model.classifier[0] is hidden
    assert (
        model.classifier[3][0].in_features,
        model.classifier[3][0].out_features,
    ) == (16, 9)


def test_device_dtype_and_options_are_kept():
    model = attach(
        ResNet().double(), 10, dim=20, scheme="uniform", preset="lindstrom", reserve=40
    )
    head = prototype_head(model)
    assert model(torch.zeros(1, 3, 8, 8, dtype=torch.float64)).dtype == torch.float64
    assert (
        head.preset.name,
        head.reserve.num_classes,
        head.reserve.provenance.construction,
    ) == (
        "lindstrom",
        40,
        "uniform",
    )


def test_second_classifiers_share_the_head():
    for model, names in (
        (Distilled(), ("head", "head_dist")),
        (GoogLeNet(), ("fc", "aux1.fc2")),
    ):
        attach(model, 10, dim=9)
        pairs = [model.get_submodule(name) for name in names]
        assert pairs[0][1] is pairs[1][1]
        assert pairs[0][0] is not pairs[1][0]
        assert {
            module.out_features
            for module in model.modules()
            if isinstance(module, nn.Linear)
        } <= {9, 16}


@pytest.mark.parametrize("make", STYLES, ids=lambda make: make.__name__)
def test_a_second_call_replaces_the_first(make):
    once = attach(make(), 7, dim=6)
    twice = attach(attach(make(), 10, dim=9), 7, dim=6)
    assert str(once) == str(twice)
    x = torch.randn(4, 3, 8, 8)
    answer = twice(x)
    assert getattr(answer, "logits", answer).shape == (4, 7)
    assert list(once.state_dict()) == list(twice.state_dict())


def test_a_layer_by_its_name():
    model = VGG()
    attach(model, 10, dim=9, layer="classifier.0")
    assert model.classifier[3].out_features == 1000
    assert [type(module) for module in model.classifier[0]] == [
        nn.Linear,
        PrototypeHead,
    ]
    attach(model, 12, dim=11, layer="classifier.0")
    assert [
        module.dim for module in model.modules() if isinstance(module, PrototypeHead)
    ] == [11]
    several = attach(Distilled(), 10, dim=9, layer=["head", "head_dist"])
    assert several.head[1] is several.head_dist[1]
    only = attach(GoogLeNet(), 10, dim=9, layer="fc")
    assert only.aux1.fc2.out_features == 1000
    for name in ("nothing", "", "features"):
        with pytest.raises(
            InvalidArgumentError,
            match=rf"'layer' must name an nn\.Linear .*got '{name}'; its last are 'c",
        ):
            attach(VGG(), 10, dim=9, layer=name)


def test_a_head_or_a_code_may_be_given():
    head = PrototypeHead(10, dim=9)
    assert prototype_head(attach(ResNet(), head)) is head
    assert prototype_head(attach(ResNet(), head.code)).code is head.code


def test_a_head_behind_its_own_layer_is_replaced():
    model = nn.Sequential(nn.Flatten(), nn.Linear(12, 9), PrototypeHead(10, dim=9))
    attach(model, 7, dim=6)
    assert [type(module) for module in model] == [nn.Flatten, nn.Linear, PrototypeHead]
    assert model(torch.zeros(2, 12)).shape == (2, 7)


def several(**layers):
    model = nn.Module()
    for name, layer in layers.items():
        setattr(model, name, layer)
    return model


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (
            several(fc=nn.Linear(8, 4), classifier=nn.Linear(4, 10)),
            "several .*classifier, 'fc', 'classifier'; layer=",
        ),
        (
            several(fc=nn.Linear(8, 10), aux=nn.Conv2d(8, 10, 1)),
            "a second classifier, 'aux', with no .*; layer=",
        ),
        (
            several(fc=nn.Linear(8, 10), exit1=nn.Linear(4, 10)),
            "may be classifiers, 'exit1'; layer=",
        ),
        (
            nn.Sequential(nn.Linear(8, 9), nn.ReLU(), PrototypeHead(10, dim=9)),
            "a PrototypeHead with no nn.Linear",
        ),
    ],
)
def test_what_is_not_clear_is_refused_in_one_sentence(model, sentence):
    with pytest.raises(InvalidArgumentError, match=sentence):
        attach(model, 10, dim=9)


def test_saving_and_loading_as_timm_does(tmp_path):
    """`timm.create_model(..., checkpoint_path=...)` loads a state_dict into a model that must have its layers."""
    torch.manual_seed(0)
    model = attach(Distilled(), 10, dim=9).eval()
    torch.save(model.state_dict(), tmp_path / "model.pth")
    state = torch.load(tmp_path / "model.pth", weights_only=True)
    again = attach(
        Distilled(), PrototypeHead.from_state_dict(state, prefix="head.1.")
    ).eval()
    again.load_state_dict(state)
    x = torch.randn(2, 3, 8, 8)
    assert torch.equal(again(x), model(x))


def save_pretrained(model, folder):
    """transformers writes config.json and model.safetensors, in which layers may have other names than in the model."""
    (folder / "config.json").write_text(json.dumps(vars(model.config)))
    state = {
        name.replace("vit.", "encoder."): tensor
        for name, tensor in model.state_dict().items()
    }
    save_file(state, folder / "model.safetensors", metadata={"format": "pt"})


def from_pretrained(folder):
    """It makes the model of the config and loads what it knows; a classifier it does not find stays as it was drawn."""
    model = ForImageClassification()
    state = load_file(folder / "model.safetensors")
    model.config.num_labels = json.loads((folder / "config.json").read_text())[
        "num_labels"
    ]
    known = {
        name.replace("encoder.", "vit."): tensor
        for name, tensor in state.items()
        if name.startswith("encoder.")
    }
    model.load_state_dict(known, strict=False)
    return model


def test_saving_and_loading_as_transformers_does(tmp_path):
    model = attach(ForImageClassification(), 10, dim=9).eval()
    save_pretrained(model, tmp_path)
    again = from_pretrained(tmp_path)
    assert again.config.num_labels == 10
    state = load_file(tmp_path / "model.safetensors")
    attach(again, PrototypeHead.from_state_dict(state, prefix="classifier.1."))
    again.load_state_dict(
        state, strict=False
    )  # the layer before the head; the rest is there
    x = torch.randn(2, 3, 8, 8)
    assert torch.equal(again.eval()(x).logits, model(x).logits)


def test_a_model_without_a_classifier_is_refused_in_one_sentence():
    with pytest.raises(
        InvalidArgumentError,
        match=r"'model' must have get_classifier\(\) or one of fc, .*got a Conv2d",
    ):
        attach(nn.Conv2d(3, 8, 3), 10)
    nothing = nn.Module()
    nothing.classifier = nn.Sequential(nn.Dropout())
    with pytest.raises(
        InvalidArgumentError,
        match=r"'classifier', must hold an nn\.Linear, got a Sequential",
    ):
        attach(nothing, 10)
    with pytest.raises(
        InvalidArgumentError, match="'model' has no PrototypeHead, got a ResNet"
    ):
        prototype_head(ResNet())


def test_the_advice_for_a_convolution_works():
    model = SqueezeNet()
    with pytest.raises(
        InvalidArgumentError, match=r"got an nn\.Conv2d of 8 channels; set "
    ) as refused:
        attach(model, 10, dim=9)
    name, _, replacement = (
        str(refused.value)
        .partition("; set model.")[2]
        .partition(" and attach")[0]
        .partition(" = ")
    )
    setattr(model, name, eval(replacement, {"nn": nn}))
    assert attach(model, 10, dim=9)(torch.zeros(2, 3, 8, 8)).shape == (2, 10)


@pytest.mark.parametrize(
    "name", ["distilbert", "distilroberta", "distance", "district"]
)
def test_a_backbone_is_no_second_classifier_whatever_its_name(name):
    model = several(**{name: nn.Linear(8, 4), "classifier": nn.Linear(4, 10)})
    backbone = getattr(model, name)
    attach(model, 10, dim=9)
    assert getattr(model, name) is backbone
    assert isinstance(model.classifier[1], PrototypeHead)


def test_what_would_be_passed_over_is_refused():
    model = nn.Sequential(nn.Linear(3, 4))
    with pytest.raises(
        InvalidArgumentError, match="'dim' goes with a number of classes, got a head"
    ):
        attach(model, PrototypeHead(5), dim=99)
    with pytest.raises(
        InvalidArgumentError, match="'preset' goes with a number of classes, got a head"
    ):
        attach(model, PrototypeHead(5), preset="mettes")
    with pytest.raises(
        InvalidArgumentError, match="'layer' must name at least one layer"
    ):
        attach(model, 5, layer=[])
    assert isinstance(model[0], nn.Linear), "nothing was replaced"


def test_what_is_no_model_is_one_sentence():
    with pytest.raises(
        InvalidArgumentError, match=r"'model' must be an nn.Module, got 'resnet'"
    ):
        attach("resnet", 5)
