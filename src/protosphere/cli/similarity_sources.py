"""Similarity as commands take it: from one of several kinds of file."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Group, Parameter

import protosphere as ps
from protosphere.cli.arguments import flag
from protosphere.code.user_points import read_points
from protosphere.errors import InvalidArgumentError


@dataclass(frozen=True)
class SimilaritySources:
    """Where a similarity comes from; just one of them."""

    matrix: Path | None = flag("A .npy, .csv or .txt file with the K x K similarities themselves.")
    embeddings: Path | None = flag("Such a file with one vector per class.")
    confusion: Path | None = flag("Such a file with a confusion matrix, true classes in rows.")
    features: Path | None = flag("An .npz file with x_train and y_train, whose class means are compared.")
    tree: str | None = flag(
        "A text file with a line 'child parent' each, or the name of a tree we ship, such as cifar100_superclasses."
    )

    @property
    def given(self) -> bool:
        """Whether there is any."""
        return any(value is not None for value in vars(self).values())

    def similarity(self) -> Any:
        """The similarity, or the tree that has one."""
        readers: dict[str, Callable[[Any], Any]] = {
            "matrix": read_points,
            "embeddings": lambda path: ps.similarity_from_embeddings(read_points(path)),
            "confusion": lambda path: ps.similarity_from_confusion(read_points(path)),
            "features": ps.similarity_from_features,
            "tree": ps.taxonomy,
        }
        given = [(read, getattr(self, name)) for name, read in readers.items() if getattr(self, name) is not None]
        if len(given) != 1:
            known = ", ".join(f"--{name}" for name in readers)
            raise InvalidArgumentError(f"similarity comes from just one of {known}, got {len(given)} of them")
        read, source = given[0]
        return read(source)


NO_SOURCE = SimilaritySources()
Sources = Annotated[SimilaritySources, Parameter(name="*", group=Group("Similarity from", sort_key=1))]
