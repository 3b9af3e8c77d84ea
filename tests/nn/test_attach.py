"""`attach` on stand-ins of each library's style: the classifier is found, replaced, and the model trains."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import torch
from torch import nn

from protosphere.errors import InvalidArgumentError
from protosphere.nn import PrototypeHead, attach, prototype_head


class ResNet(nn.Module):
    """torchvision: `fc`."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 8, 3)
        self.fc = nn.Linear(8, 1000)

    def forward(self, x):
        return self.fc(self.conv1(x).mean((2, 3)))


class VGG(nn.Module):
    """torchvision: `classifier`, a Sequential with hidden layers."""

    def __init__(self):
        super().__init__()
        self.features = nn.Conv2d(3, 8, 3)
        self.classifier = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Dropout(), nn.Linear(16, 1000))

    def forward(self, x):
        return self.classifier(self.features(x).mean((2, 3)))


class VisionTransformer(nn.Module):
    """torchvision: `heads`, a Sequential with a named layer."""

    def __init__(self):
        super().__init__()
        self.encoder = nn.Conv2d(3, 8, 3)
        self.heads = nn.Sequential()
        self.heads.add_module("head", nn.Linear(8, 1000))

    def forward(self, x):
        return self.heads(self.encoder(x).mean((2, 3)))


class ClassifierHead(nn.Module):
    """timm's own wrapper of pooling and `fc`."""

    def __init__(self, features, num_classes):
        super().__init__()
        self.drop = nn.Dropout(0.1)
        self.fc = nn.Linear(features, num_classes) if num_classes else nn.Identity()

    def forward(self, x):
        return self.fc(self.drop(x.mean((2, 3))))


class TimmNet(nn.Module):
    """timm: `get_classifier`, `reset_classifier`, `num_classes`."""

    def __init__(self, num_classes=1000):
        super().__init__()
        self.num_classes, self.num_features = num_classes, 8
        self.stem = nn.Conv2d(3, 8, 3)
        self.head = ClassifierHead(8, num_classes)

    def get_classifier(self):
        return self.head.fc

    def reset_classifier(self, num_classes, global_pool=None):
        self.num_classes = num_classes
        self.head = ClassifierHead(8, num_classes)

    def forward(self, x):
        return self.head(self.stem(x))


class ForImageClassification(nn.Module):
    """transformers: `classifier`, `num_labels`, `config.num_labels`; logits in a record."""

    def __init__(self):
        super().__init__()
        self.config, self.num_labels = SimpleNamespace(num_labels=1000), 1000
        self.vit = nn.Conv2d(3, 8, 3)
        self.classifier = nn.Linear(8, 1000)

    def forward(self, x):
        return SimpleNamespace(logits=self.classifier(self.vit(x).mean((2, 3))))


class RobertaHead(nn.Module):
    """transformers: a classification head with a hidden layer and `out_proj`."""

    def __init__(self):
        super().__init__()
        self.dense = nn.Linear(8, 8)
        self.out_proj = nn.Linear(8, 1000)

    def forward(self, x):
        return self.out_proj(torch.tanh(self.dense(x)))


class ForSequenceClassification(nn.Module):
    def __init__(self):
        super().__init__()
        self.config, self.num_labels = SimpleNamespace(num_labels=1000), 1000
        self.roberta = nn.Conv2d(3, 8, 3)
        self.classifier = RobertaHead()

    def forward(self, x):
        return SimpleNamespace(logits=self.classifier(self.roberta(x).mean((2, 3))))


STYLES = [
    ResNet,
    VGG,
    VisionTransformer,
    TimmNet,
    lambda: TimmNet(0),
    ForImageClassification,
    ForSequenceClassification,
]


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
        assert {getattr(holder, name, 10) for name in ("num_classes", "num_labels")} == {10}


def test_what_comes_before_the_last_layer_stays():
    model = VGG()
    hidden = model.classifier[0]
    attach(model, 10, dim=9)
    assert model.classifier[0] is hidden
    assert (model.classifier[3][0].in_features, model.classifier[3][0].out_features) == (16, 9)


def test_device_dtype_and_options_are_kept():
    model = attach(ResNet().double(), 10, dim=20, scheme="uniform", preset="lindstrom", reserve=40)
    head = prototype_head(model)
    assert model(torch.zeros(1, 3, 8, 8, dtype=torch.float64)).dtype == torch.float64
    assert (head.preset.name, head.reserve.num_classes, head.reserve.provenance.construction) == (
        "lindstrom",
        40,
        "uniform",
    )


def test_a_model_without_a_classifier_is_refused_in_one_sentence():
    with pytest.raises(
        InvalidArgumentError, match=r"'model' must have get_classifier\(\) or one of fc, .*got a Conv2d"
    ):
        attach(nn.Conv2d(3, 8, 3), 10)
    squeeze = nn.Module()
    squeeze.classifier = nn.Sequential(nn.Dropout(), nn.Conv2d(8, 1000, 1))
    with pytest.raises(InvalidArgumentError, match=r"must hold an nn\.Linear, got a Sequential"):
        attach(squeeze, 10)
    with pytest.raises(InvalidArgumentError, match="'model' has no PrototypeHead, got a ResNet"):
        prototype_head(ResNet())
