"""The classification problem. Each character is a class, and test images have other fonts than training images."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from benchmarks.glyphs.render import Glyphs

HANGUL = "".join(map(chr, range(0xAC00, 0xD7A4)))
HAN = "".join(map(chr, range(0x4E00, 0x9FA6)))
HANGUL_PARTS = (19, 21, 28)  # initial consonants, vowels, final consonants (or none)
# Handwriting and display faces: accuracy on them depends on which other ones are in training, so that their share of
# the test fonts sets the level of all figures.
SCRIPT = re.compile("Brush|Pen|Pilgi|Yetgul|Taza|Novel|Sora")
SCRIPT_SHARE = 9
SPLIT_SEED = 0
SUBSET_SEED = 0
SUBSET = 30_000
NUM_SEEN = 2350  # as many syllables as KS X 1001 has


@dataclass(frozen=True, eq=False)
class Problem:
    """Training images and test images, with their classes. The test images are drawn in other fonts.

    Attributes:
        images: Training images, of shape (fonts * classes, 784) and type uint8, one font after the other.
        labels: Class of each training image.
        test_images: Test images, a fixed random subset of the characters in the test fonts.
        test_labels: Class of each test image.
        test_is_script: Whether each test image is drawn in a script or display face.
        num_classes: Number of classes.
        seen: For each class, whether it has training images.
        part_sizes: Number of values of each part of a character; None if the characters have no parts.
    """

    images: Tensor
    labels: Tensor
    test_images: Tensor
    test_labels: Tensor
    test_is_script: Tensor
    num_classes: int
    seen: Tensor
    part_sizes: tuple[int, ...] | None


def kindred(families: Sequence[str]) -> list[str]:
    """Return, for each family, the shortest of the given names with which its name begins.

    Families such as "NanumGothicCoding" and "NanumGothic" have nearly the same design. They must not be split.
    """
    return [
        min((name for name in families if family.startswith(name)), key=len)
        for family in families
    ]


def hold_out(families: Sequence[str], count: int, seed: int) -> list[int]:
    """Return the indices of up to `count` faces for testing.

    Families are taken in random order, with all their faces. A family is skipped if it has more faces than are still
    missing. One in nine of the faces is a script or display face.

    Args:
        families: Family of each face.
        count: Number of faces.
        seed: Seed of the random order.
    """
    groups = kindred(families)
    order = sorted(set(groups))
    np.random.default_rng(seed).shuffle(order)
    missing = {True: count // SCRIPT_SHARE, False: count - count // SCRIPT_SHARE}
    held_out: list[int] = []
    for family in order:
        members = [index for index, group in enumerate(groups) if group == family]
        is_script = SCRIPT.search(family) is not None
        if len(members) <= missing[is_script]:
            held_out += members
            missing[is_script] -= len(members)
    return sorted(held_out)


def _flat(glyphs: Glyphs, faces: Sequence[int]) -> tuple[Tensor, Tensor]:
    """Return the images and labels of the faces with the given indices, one face after the other."""
    chosen = glyphs.images[list(faces)]
    images = torch.from_numpy(chosen.reshape(-1, chosen.shape[2] * chosen.shape[3]))
    labels = torch.arange(len(glyphs.characters)).repeat(len(faces))
    return images, labels


def parts_of(glyphs: Glyphs) -> tuple[int, ...] | None:
    """Return the number of values of each part if the characters are all Hangul syllables; otherwise None."""
    return HANGUL_PARTS if glyphs.characters == HANGUL else None


def make_problem(
    glyphs: Glyphs, test_faces: int, validation_faces: int = 0, subset: int = SUBSET
) -> Problem:
    """Split the faces by family into training and test faces.

    Args:
        glyphs: Drawn characters.
        test_faces: Number of test faces.
        validation_faces: If it is not 0, the test faces are not used. Instead, this number of training faces is held
            out, and their images take the place of the test images. Use this to choose settings.
        subset: Number of test images.

    Returns:
        The problem, in which all classes have training images.
    """
    test = hold_out(glyphs.families, test_faces, SPLIT_SEED)
    train = [index for index in range(len(glyphs.faces)) if index not in test]
    if validation_faces:
        families = [glyphs.families[index] for index in train]
        chosen = hold_out(families, validation_faces, SPLIT_SEED)
        test = [train[index] for index in chosen]
        train = [index for index in train if index not in test]
    images, labels = _flat(glyphs, train)
    test_images, test_labels = _flat(glyphs, test)
    is_script = [SCRIPT.search(glyphs.families[index]) is not None for index in test]
    test_is_script = torch.tensor(is_script).repeat_interleave(len(glyphs.characters))
    generator = torch.Generator().manual_seed(SUBSET_SEED)
    kept = torch.randperm(len(test_labels), generator=generator)[:subset]
    return Problem(
        images,
        labels,
        test_images[kept],
        test_labels[kept],
        test_is_script[kept],
        len(glyphs.characters),
        torch.ones(len(glyphs.characters), dtype=torch.bool),
        parts_of(glyphs),
    )


def only_seen(problem: Problem, seen: Tensor) -> Problem:
    """Return the problem without the training images of the classes for which `seen` is False."""
    kept = seen[problem.labels]
    return replace(
        problem,
        images=problem.images[kept],
        labels=problem.labels[kept],
        seen=seen,
    )


def in_ks_x_1001(characters: str) -> Tensor:
    """Return a mask of the characters that are among the 2,350 Hangul syllables of the standard KS X 1001."""

    def encodable(character: str) -> bool:
        try:
            # The codec writes other syllables as a sequence of eight bytes.
            return len(character.encode("euc_kr")) == 2
        except UnicodeEncodeError:
            return False

    return torch.tensor([encodable(character) for character in characters])


def drawn_at_random(characters: str, count: int = NUM_SEEN) -> Tensor:
    """Return a mask of `count` random characters."""
    generator = torch.Generator().manual_seed(SUBSET_SEED)
    mask = torch.zeros(len(characters), dtype=torch.bool)
    mask[torch.randperm(len(characters), generator=generator)[:count]] = True
    return mask


def mixed_radix(classes: Tensor, sizes: Sequence[int]) -> Tensor:
    """Return the value of each part of the given classes, of shape (classes, parts).

    `sizes` has the number of values of each part. Classes are numbered such that the last part changes fastest.
    """
    digits: list[Tensor] = []
    for size in reversed(sizes):
        digits.append(classes % size)
        classes = classes // size
    return torch.stack(digits[::-1], dim=1)


def class_means(problem: Problem) -> Tensor:
    """Return the mean training image of each class, with gray levels from 0 to 1; zeros for a class without images."""
    sums = torch.zeros(problem.num_classes, problem.images.shape[1])
    for start in range(0, len(problem.labels), 65_536):
        rows = slice(start, start + 65_536)
        sums.index_add_(0, problem.labels[rows], problem.images[rows].float() / 255)
    counts = torch.bincount(problem.labels, minlength=problem.num_classes)
    return sums / counts.clamp(min=1)[:, None]
