"""Heads in models of transformers, saved and loaded by it; skipped where it is not installed."""

from __future__ import annotations

import pytest
import torch

from protosphere.nn import PrototypeHead, attach, prototype_head

transformers = pytest.importorskip(
    "transformers", reason="transformers is not installed: pip install transformers"
)

SMALL = {
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 16,
    "hidden_size": 16,
}
PIXELS = {
    "pixel_values": torch.randn(2, 3, 8, 8, generator=torch.Generator().manual_seed(0))
}
WORDS = {"input_ids": torch.arange(8).reshape(2, 4)}


def vit():
    config = transformers.ViTConfig(image_size=8, patch_size=4, num_labels=20, **SMALL)
    return transformers.ViTForImageClassification, config, PIXELS


def distilbert():
    config = transformers.DistilBertConfig(
        vocab_size=30,
        dim=16,
        n_layers=1,
        n_heads=2,
        hidden_dim=16,
        max_position_embeddings=8,
        num_labels=20,
    )
    return transformers.DistilBertForSequenceClassification, config, WORDS


def with_attached(base, **options):
    class Attached(base):
        def __init__(self, config):
            super().__init__(config)
            attach(self, config.num_labels, dim=12, **options)

    return Attached


def with_head(base):
    class WithHead(base):
        def __init__(self, config):
            super().__init__(config)
            self.classifier = torch.nn.Sequential(
                torch.nn.Linear(16, 12), PrototypeHead(config.num_labels, dim=12)
            )

    return WithHead


@pytest.mark.parametrize("architecture", [vit, distilbert])
@pytest.mark.parametrize("subclass", [with_attached, with_head])
def test_a_head_made_in_the_constructor_comes_back_bit_for_bit(
    architecture, subclass, tmp_path
):
    base, config, inputs = architecture()
    own = subclass(base)
    torch.manual_seed(0)
    model = own(config).eval()
    model.save_pretrained(tmp_path)
    again = own.from_pretrained(tmp_path).eval()
    assert torch.equal(
        prototype_head(again).prototypes(), prototype_head(model).prototypes()
    )
    assert torch.equal(again(**inputs).logits, model(**inputs).logits)


@pytest.mark.parametrize("subclass", [with_attached, with_head])
def test_pretrained_weights_of_the_base_class_load_into_the_subclass(
    subclass, tmp_path
):
    base, config, inputs = vit()
    pretrained = base(config)
    pretrained.save_pretrained(tmp_path)
    model = subclass(base).from_pretrained(tmp_path)
    assert model(**inputs).logits.shape == (2, 20)
    assert torch.equal(
        prototype_head(model).prototypes(), PrototypeHead(20, dim=12).prototypes()
    )
    body = model.vit.state_dict()
    assert all(
        torch.equal(body[name], weight)
        for name, weight in pretrained.vit.state_dict().items()
    )


def test_a_learned_scale_that_no_checkpoint_holds_begins_at_its_start(tmp_path):
    base, config, inputs = vit()
    base(config).save_pretrained(tmp_path)
    model = with_attached(base, scale="learn").from_pretrained(tmp_path)
    assert torch.equal(prototype_head(model).scaling.shift, torch.zeros(1))
    assert model(**inputs).logits.isfinite().all()


def test_a_model_loads_in_half_precision(tmp_path):
    base, config, inputs = distilbert()
    own = with_attached(base)
    own(config).save_pretrained(tmp_path)
    model = own.from_pretrained(tmp_path, dtype=torch.bfloat16)
    assert torch.equal(
        prototype_head(model).prototypes(),
        PrototypeHead(20, dim=12).bfloat16().prototypes(),
    )
    assert model(**inputs).logits.dtype == torch.bfloat16


@pytest.mark.parametrize("architecture", [vit, distilbert])
def test_a_model_is_attached_to_after_loading(architecture, tmp_path):
    base, config, inputs = architecture()
    base(config).save_pretrained(tmp_path)
    model = attach(base.from_pretrained(tmp_path), 7, dim=6)
    assert model(**inputs).logits.shape == (2, 7)
    model(**inputs, labels=torch.tensor([0, 6])).loss.backward()
