"""vmap, batched gradients, `torch.jit.trace` and saved exports: the same numbers as at once, for every projection."""

from __future__ import annotations

import io

import pytest
import torch
from tests.nn.product_codes import code_of
from torch.nn.functional import cross_entropy

from protosphere.errors import InvalidArgumentError
from protosphere.nn import PrototypeHead

CODES = {
    "dense": ("uniform", 20, 16, "dense"),
    "hadamard": ("kerdock", 256, 16, "hadamard"),
    "hadamard and a rest": ("kerdock", 280, 16, "hadamard"),
    "hadamard with glue": ("construction_x", 3001, 70, "hadamard"),
    "axes": ("cross_polytope", 30, 16, "axes"),
    "simplex": ("simplex", 17, 16, "simplex"),
    "simplices": ("orthogonal_simplices", 25, 16, "simplices"),
    "parts": ("product", 180, 12, "parts"),
    "parts, some": ("product", 31, 10, "parts"),
    "quantized": ("quantized", 31, 12, "quantized"),
}
HEADS = {
    name: PrototypeHead(code_of(scheme, num_classes, dim), projection=kind)
    for name, (scheme, num_classes, dim, kind) in CODES.items()
}
EACH = pytest.mark.parametrize("name", HEADS)
pytestmark = [
    pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning"),  # torch's own
    pytest.mark.filterwarnings(
        "ignore:There is a performance drop:UserWarning"
    ),  # of gradients that torch batches
]


def vectors(head, *shape, seed=0):
    return torch.randn(*shape, head.dim, generator=torch.Generator().manual_seed(seed))


def answers(head):
    """What a head gives for z, by name."""
    classes = torch.arange(3)
    return {
        "logits": head,
        "cosines": lambda z: head.decode(z, 2).cosines,
        "max_cosine": lambda z: head.score(z, "max_cosine"),
        "margin": lambda z: head.score(z, "margin"),
        "energy": lambda z: head.score(z, "energy"),
        "losses": lambda z: head.loss(z, classes[: len(z)], reduction="none"),
    }


@EACH
def test_vmap_gives_what_a_loop_does(name):
    head = HEADS[name]
    z = vectors(head, 4, 3)
    for what, answer in answers(head).items():
        expected = torch.stack([answer(rows) for rows in z])
        torch.testing.assert_close(
            torch.vmap(answer)(z), expected, msg=lambda m, what=what: f"{what}: {m}"
        )
        torch.testing.assert_close(
            torch.vmap(answer, in_dims=1)(z.movedim(0, 1).contiguous()), expected
        )
    assert torch.equal(
        torch.vmap(lambda rows: head.decode(rows, 2).classes)(z),
        head.decode(z, 2).classes,
    )


@EACH
def test_vmap_over_single_vectors_and_within_vmap(name):
    head = HEADS[name]
    z = vectors(head, 4, 3)
    for answer in (head.decode, head.score):
        torch.testing.assert_close(torch.vmap(torch.vmap(answer))(z), answer(z))


@EACH
def test_derivatives_of_what_is_found_are_zero_under_transforms(name):
    head = HEADS[name]
    z = vectors(head, 3)
    assert not torch.func.grad(lambda rows: head.score(rows, "max_cosine").sum())(
        z
    ).any()
    _, tangent = torch.func.jvp(
        lambda rows: head.decode(rows, 2).cosines, (z,), (torch.ones_like(z),)
    )
    assert not tangent.any()


@EACH
def test_prototypes_under_vmap(name):
    head = HEADS[name]
    index = torch.tensor([[0, 5, 2], [16, 1, 0]])
    torch.testing.assert_close(
        torch.vmap(head.prototypes)(index),
        torch.stack([head.prototypes(i) for i in index]),
    )
    with pytest.raises(InvalidArgumentError, match=r"'index' must lie in 0, "):
        torch.vmap(head.prototypes)(index + head.num_classes - 3)


@EACH
@pytest.mark.parametrize("targets", ["classes", "probabilities"])
def test_batched_gradients_are_those_one_at_a_time(name, targets):
    head = HEADS[name]
    z = vectors(head, 3).requires_grad_()
    drawn = torch.randn(
        3, head.num_classes, generator=torch.Generator().manual_seed(1)
    ).softmax(1)
    target = torch.arange(3) if targets == "classes" else drawn
    for output in (
        head(z),
        head.score(z, "energy"),
        head.loss(z, target, reduction="none"),
    ):
        along = torch.randn(
            5, *output.shape, generator=torch.Generator().manual_seed(2)
        )
        one_by_one = [
            torch.autograd.grad(output, z, one, retain_graph=True)[0] for one in along
        ]
        (found,) = torch.autograd.grad(
            output, z, along, retain_graph=True, is_grads_batched=True
        )
        torch.testing.assert_close(found, torch.stack(one_by_one), atol=1e-5, rtol=1e-4)


@EACH
def test_batched_second_derivatives(name):
    head = PrototypeHead(HEADS[name].code, projection=CODES[name][3]).double()
    z = vectors(head, 2).double()
    classes = torch.arange(2)

    def loss(rows):
        return head.loss(rows, classes)

    of_logits = torch.func.hessian(lambda rows: cross_entropy(head(rows), classes))(z)
    for vectorize in (True, False):
        found = torch.autograd.functional.hessian(loss, z, vectorize=vectorize)
        torch.testing.assert_close(found, of_logits)


@pytest.mark.slow
@EACH
def test_traced_for_batches_of_any_size(name, recwarn):
    head = HEADS[name]
    example = vectors(head, 2)
    other = vectors(head, 9, seed=1)
    for what, answer in answers(head).items():
        if what != "losses":
            traced = torch.jit.trace(answer, example)
            torch.testing.assert_close(
                traced(other), answer(other), msg=lambda m, what=what: f"{what}: {m}"
            )
    deeper = torch.jit.trace(head, vectors(head, 2, 3))
    torch.testing.assert_close(deeper(vectors(head, 4, 5)), head(vectors(head, 4, 5)))
    traced = torch.jit.trace(
        lambda z, classes: head.loss(z, target=classes), (example, torch.arange(2))
    )
    torch.testing.assert_close(
        traced(other, torch.arange(9)), head.loss(other, torch.arange(9))
    )
    assert not [
        warning
        for warning in recwarn
        if issubclass(warning.category, torch.jit.TracerWarning)
    ]


@EACH
def test_a_trace_saved_and_loaded_gives_the_same_logits(name):
    head = HEADS[name]
    file = io.BytesIO()
    torch.jit.save(torch.jit.trace(head, vectors(head, 2)), file)
    file.seek(0)
    z = vectors(head, 7, seed=1)
    torch.testing.assert_close(torch.jit.load(file)(z), head(z))


@pytest.mark.slow
@EACH
@pytest.mark.filterwarnings("ignore::UserWarning")  # torch's own, while it saves
def test_an_exported_head_saved_and_loaded_gives_the_same_logits(name):
    head = HEADS[name]
    file = io.BytesIO()
    batch = torch.export.Dim("batch", min=2, max=512)
    program = torch.export.export(
        head, (vectors(head, 2),), dynamic_shapes=({0: batch},)
    )
    torch.export.save(program, file)
    file.seek(0)
    z = vectors(head, 7, seed=1)
    torch.testing.assert_close(
        torch.export.load(file).module()(z), head(z), atol=1e-5, rtol=1e-5
    )


@EACH
def test_buffers_have_the_strides_of_new_tensors(name):
    for path, buffer in HEADS[name].named_buffers():
        assert buffer.stride() == torch.empty(buffer.shape).stride(), path


def test_decoding_and_scores_take_any_leading_dimensions():
    head = HEADS["hadamard"]
    z = vectors(head, 4, 3)
    flat = z.reshape(-1, head.dim)
    found = head.decode(z, 2)
    expected = head.decode(flat, 2)
    assert torch.equal(found.cosines.reshape(12, 2), expected.cosines)
    assert torch.equal(found.classes.reshape(12, 2), expected.classes)
    for kind in ("max_cosine", "margin", "energy"):
        assert torch.equal(head.score(z, kind).reshape(12), head.score(flat, kind))
        torch.testing.assert_close(head.score(z[0, 0], kind), head.score(flat, kind)[0])
