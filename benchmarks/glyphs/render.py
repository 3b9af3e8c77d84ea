"""Draw characters in many fonts, and write the images to one .npz file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from benchmarks.glyphs.fonts import Face, Skipped

SIDE = 28
FILL = 26  # pixels that the taller or wider side of a large glyph covers
TRIAL_SIZE = 64  # font size at which the extent of the glyphs is measured
TRIALS = 200
LARGE = 95  # percentile of the extents that is scaled to FILL


@dataclass(frozen=True)
class Glyphs:
    """Drawn characters.

    Attributes:
        images: Gray levels, of shape (faces, characters, 28, 28) and type uint8; 0 is the background.
        characters: The characters, in the order of the images.
        faces: Name of each face.
        families: Family of each face.
    """

    images: NDArray[np.uint8]
    characters: str
    faces: tuple[str, ...]
    families: tuple[str, ...]


def font_size(face: Face, characters: str) -> int:
    """Return the font size at which the large characters of the face just fit into the image."""
    font = ImageFont.truetype(str(face.path), TRIAL_SIZE, index=face.index)
    step = max(1, len(characters) // TRIALS)
    extents: list[float] = []
    for character in characters[::step]:
        left, top, right, bottom = font.getbbox(character)
        extents.append(max(right - left, bottom - top))
    large = float(np.percentile(extents, LARGE))
    return max(1, round(TRIAL_SIZE * FILL / max(large, 1.0)))


def draw_face(face: Face, characters: str) -> NDArray[np.uint8]:
    """Return an image of each character, of shape (characters, 28, 28). The character is in the middle of the image."""
    size = font_size(face, characters)
    font = ImageFont.truetype(str(face.path), size, index=face.index)
    images = np.zeros((len(characters), SIDE, SIDE), np.uint8)
    for index, character in enumerate(characters):
        left, top, right, bottom = font.getbbox(character)
        x = (SIDE - (right - left)) / 2 - left
        y = (SIDE - (bottom - top)) / 2 - top
        image = Image.new("L", (SIDE, SIDE))
        ImageDraw.Draw(image).text((round(x), round(y)), character, fill=255, font=font)
        images[index] = np.asarray(image)
    return images


def defect(images: NDArray[np.uint8]) -> str | None:
    """Return why the characters in the images of a face cannot be told apart; None if they can.

    Some faces draw characters as empty images, or many characters as the same image.
    """
    flat = images.reshape(len(images), -1)
    empty = int((flat.max(axis=1) == 0).sum())
    if empty:
        return f"draws {empty:,} characters as empty images"
    distinct = len({row.tobytes() for row in flat})
    if distinct < 0.98 * len(flat):
        return f"draws {len(flat):,} characters as {distinct:,} images"
    return None


def render(faces: Sequence[Face], characters: str) -> tuple[Glyphs, list[Skipped]]:
    """Draw characters in all faces. Return the images, and the faces that have a defect (see `defect`)."""
    drawn: dict[Face, NDArray[np.uint8]] = {}
    skipped: list[Skipped] = []
    for face in faces:
        images = draw_face(face, characters)
        reason = defect(images)
        if reason is None:
            drawn[face] = images
        else:
            skipped.append(Skipped(face.name, reason))
    glyphs = Glyphs(
        np.stack(list(drawn.values())),
        characters,
        tuple(face.name for face in drawn),
        tuple(face.family for face in drawn),
    )
    return glyphs, skipped


def save(glyphs: Glyphs, path: Path) -> None:
    """Write the images to an .npz file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez(
        path,
        images=glyphs.images,
        characters=np.array(list(map(ord, glyphs.characters)), np.int32),
        faces=np.array(glyphs.faces),
        families=np.array(glyphs.families),
    )


def load(path: Path) -> Glyphs:
    """Read the images from an .npz file that `save` wrote."""
    with np.load(path, allow_pickle=False) as file:
        return Glyphs(
            file["images"],
            "".join(map(chr, file["characters"])),
            tuple(map(str, file["faces"])),
            tuple(map(str, file["families"])),
        )
