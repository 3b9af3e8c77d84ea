"""Font files that contain a set of characters, and their families."""

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
        path: The font file.
        index: Number of the face in a collection; 0 in other files.
        name: Full name of the face, weight included.
        family: Name of its family, without weight, spaces and hyphens.
    """

    path: Path
    index: int
    name: str
    family: str


@dataclass(frozen=True)
class Skipped:
    """A face that is not drawn, and the reason."""

    name: str
    reason: str


def family_of(name: str) -> str:
    """Return a family's name without words for weight or style, spaces, hyphens and underscores.

    Example:
        >>> family_of("Nanum Gothic Extra-Bold")
        'NanumGothic'
    """
    joined = re.sub(r"[\s_-]", "", name)
    return STYLES.sub("", joined) or joined


def _number_of_faces(path: Path) -> int:
    """Return the number of faces in a font file."""
    if path.suffix.lower() != ".ttc":
        return 1
    with TTCollection(path, lazy=True) as collection:
        return len(collection)


def _read_face(path: Path, index: int) -> tuple[Face, frozenset[int]]:
    """Return a face of a font file, and the code points that it maps."""
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
    """Find the faces of all fonts in folders that contain every character.

    Args:
        folders: Folders to search, with the folders inside them.
        characters: Characters that a face must contain.
        leave_out: Regular expression; a face whose name it finds is skipped. Empty for none.

    Returns:
        The faces in the order of their names, one per name, and those that were skipped.
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
