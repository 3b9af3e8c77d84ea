"""Find font files that contain a set of characters.

A face is one variant of a font, such as "Nanum Gothic Bold". A family consists of the faces with one name, apart from
words for weight and style.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fontTools.ttLib import TTCollection, TTFont

ENDINGS = (".ttf", ".otf", ".ttc")
# Words that name a weight or a style of a family; a family is what remains of its name.
STYLES = re.compile(
    r"(thin|demilight|semilight|extralight|ultralight|light|regular|medium|demibold|semibold|extrabold|ultrabold|bold|"
    r"black|heavy|italic|oblique)+$",
    re.IGNORECASE,
)
NAME_OF_TYPOGRAPHIC_FAMILY = 16
NAME_OF_FAMILY = 1
NAME_OF_FACE = 4


@dataclass(frozen=True)
class Face:
    """One face of a font file.

    Attributes:
        path: Path of the font file.
        index: Number of the face in the file; 0 if the file has only one face.
        name: Full name of the face, including its weight.
        family: Name of the family, as `family_of` returns it.
    """

    path: Path
    index: int
    name: str
    family: str


@dataclass(frozen=True)
class Skipped:
    """Name of a face that is not drawn, and the reason."""

    name: str
    reason: str


def family_of(name: str) -> str:
    """Return the name of a family without words for weight or style, spaces, hyphens and underscores.

    Example:
        >>> family_of("Nanum Gothic Extra-Bold")
        'NanumGothic'
    """
    joined = re.sub(r"[\s_-]", "", name)
    return STYLES.sub("", joined) or joined


def _number_of_faces(path: Path) -> int:
    if path.suffix.lower() != ".ttc":
        return 1
    with TTCollection(path, lazy=True) as collection:
        return len(collection)


def _read_face(path: Path, index: int) -> tuple[Face, frozenset[int]]:
    """Return a face of a font file, and the code points of the characters that it contains."""
    with TTFont(path, lazy=True, fontNumber=index) as font:
        names = font["name"]
        family = names.getDebugName(NAME_OF_TYPOGRAPHIC_FAMILY)
        family = family or names.getDebugName(NAME_OF_FAMILY) or path.stem
        name = names.getDebugName(NAME_OF_FACE) or path.stem
        mapped = frozenset(font.getBestCmap() or ())
    return Face(path, index, name, family_of(family)), mapped


def find_faces(
    folders: Sequence[Path], characters: str, leave_out: str = ""
) -> tuple[list[Face], list[Skipped]]:
    """Find the faces in font files that contain every character.

    Args:
        folders: Folders to search, including their subfolders.
        characters: Characters that a face must contain.
        leave_out: Regular expression. Faces are skipped if it matches a part of their name. Empty to skip none.

    Returns:
        The faces, sorted by name and with one face per name, and the faces that were skipped.
    """
    paths = sorted(
        path
        for folder in folders
        for path in folder.rglob("*")
        if path.suffix.lower() in ENDINGS
    )
    needed = frozenset(map(ord, characters))
    found: dict[str, Face] = {}
    skipped: list[Skipped] = []
    for path in paths:
        for index in range(_number_of_faces(path)):
            face, mapped = _read_face(path, index)
            missing = len(needed - mapped)
            if missing:
                skipped.append(Skipped(face.name, f"lacks {missing:,} characters"))
            elif leave_out and re.search(leave_out, face.name):
                skipped.append(Skipped(face.name, f"left out by {leave_out!r}"))
            elif face.name in found:
                skipped.append(Skipped(face.name, f"also in {found[face.name].path}"))
            else:
                found[face.name] = face
    return [found[name] for name in sorted(found)], skipped
