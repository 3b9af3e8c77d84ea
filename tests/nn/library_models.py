"""Stand-ins for models in each library's style."""

from __future__ import annotations

from types import SimpleNamespace

import torch
from torch import nn


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
        self.classifier = nn.Sequential(
            nn.Linear(8, 16), nn.ReLU(), nn.Dropout(), nn.Linear(16, 1000)
        )

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
        self.num_classes = num_classes
        self.num_features = 8
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
        self.config = SimpleNamespace(num_labels=1000)
        self.num_labels = 1000
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
        self.config = SimpleNamespace(num_labels=1000)
        self.num_labels = 1000
        self.roberta = nn.Conv2d(3, 8, 3)
        self.classifier = RobertaHead()

    def forward(self, x):
        return SimpleNamespace(logits=self.classifier(self.roberta(x).mean((2, 3))))


class Distilled(TimmNet):
    """timm: a second head, averaged with the first; `get_classifier` gives both."""

    def __init__(self, num_classes=1000):
        super().__init__(num_classes)
        self.reset_classifier(num_classes)

    def reset_classifier(self, num_classes, global_pool=None):
        self.num_classes = num_classes
        self.head, self.head_dist = (
            nn.Linear(8, num_classes) if num_classes else nn.Identity()
            for _ in range(2)
        )

    def get_classifier(self):
        return self.head, self.head_dist

    def forward(self, x):
        features = self.stem(x).mean((2, 3))
        return (self.head(features) + self.head_dist(features)) / 2


class WithTeacher(nn.Module):
    """transformers: two classifiers, under names of their own."""

    def __init__(self):
        super().__init__()
        self.config = SimpleNamespace(num_labels=1000)
        self.num_labels = 1000
        self.deit = nn.Conv2d(3, 8, 3)
        self.cls_classifier = nn.Linear(8, 1000)
        self.distillation_classifier = nn.Linear(8, 1000)

    def forward(self, x):
        features = self.deit(x).mean((2, 3))
        return SimpleNamespace(
            logits=(
                self.cls_classifier(features) + self.distillation_classifier(features)
            )
            / 2
        )


class Auxiliary(nn.Module):
    """torchvision: GoogLeNet's side branch, with a hidden layer."""

    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(8, 16)
        self.fc2 = nn.Linear(16, 1000)

    def forward(self, x):
        return self.fc2(torch.relu(self.fc1(x)))


class GoogLeNet(nn.Module):
    """torchvision: `fc` and `aux1`, `aux2`; Inception3's is `AuxLogits`."""

    def __init__(self, name="aux1"):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 8, 3)
        self.fc = nn.Linear(8, 1000)
        self.name = name
        setattr(self, name, Auxiliary())
        self.aux2 = None

    def forward(self, x):
        features = self.conv1(x).mean((2, 3))
        return self.fc(features) + 0.3 * getattr(self, self.name)(features)


class Lazy(nn.Module):
    """A classifier that waits for its input."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 8, 3)
        self.fc = nn.LazyLinear(1000)

    def forward(self, x):
        return self.fc(self.conv1(x).mean((2, 3)))


def plain():
    """Layers one after the other."""
    flat = nn.Sequential(nn.Linear(8, 1000), nn.ReLU(), nn.Linear(1000, 1000))
    return nn.Sequential(
        nn.Conv2d(3, 8, 3), nn.AdaptiveAvgPool2d(1), nn.Flatten(), flat
    )


class DistilBert(nn.Module):
    """transformers: a backbone whose name begins as that of distilled heads, and a layer before the classifier."""

    def __init__(self, width=8, num_labels=1000):
        super().__init__()
        self.config = SimpleNamespace(num_labels=num_labels)
        self.num_labels = num_labels
        self.distilbert = nn.Sequential(nn.Conv2d(3, width, 3))
        self.pre_classifier = nn.Linear(width, width)
        self.classifier = nn.Linear(width, num_labels)

    def forward(self, x):
        pooled = torch.relu(self.pre_classifier(self.distilbert(x).mean((2, 3))))
        return SimpleNamespace(logits=self.classifier(pooled))


class SqueezeNet(nn.Module):
    """torchvision: a convolution for a classifier, pooled afterwards."""

    def __init__(self):
        super().__init__()
        self.features = nn.Conv2d(3, 8, 3)
        self.classifier = nn.Sequential(
            nn.Dropout(), nn.Conv2d(8, 1000, 1), nn.ReLU(), nn.AdaptiveAvgPool2d(1)
        )

    def forward(self, x):
        return torch.flatten(self.classifier(self.features(x)), 1)


STYLES = [
    ResNet,
    DistilBert,
    lambda: DistilBert(width=16, num_labels=16),
    Distilled,
    lambda: Distilled(0),
    WithTeacher,
    GoogLeNet,
    lambda: GoogLeNet("AuxLogits"),
    Lazy,
    plain,
    VGG,
    VisionTransformer,
    TimmNet,
    lambda: TimmNet(0),
    ForImageClassification,
    ForSequenceClassification,
]
