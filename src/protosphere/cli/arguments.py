"""The arguments that several commands share."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Group, Parameter, Token

import protosphere as ps
from protosphere.errors import InvalidArgumentError, brief
from protosphere.spherical.io.loading import read_points


def whole_number(kind: type, tokens: Sequence[Token]) -> int:
    """An integer written in decimal digits; 2.5 is refused, not cut to 2."""
    del kind
    word = tokens[0].value
    try:
        return int(word)
    except ValueError:
        raise ValueError(f"{brief(word)} is not an integer") from None


Whole = Annotated[int, Parameter(converter=whole_number)]
ClassesFlag = Annotated[Whole, Parameter(name=("--classes", "-K"))]
Classes = Annotated[ClassesFlag, Parameter(help="How many prototypes, K.")]
DimFlag = Annotated[Whole, Parameter(name=("--dim", "-n"))]
Dim = Annotated[DimFlag, Parameter(help="The dimension n of the space.")]
Seed = Annotated[
    Whole, Parameter(help="Of everything random: the same seed gives the same bits.")
]
Switch = Annotated[bool, Parameter(negative="")]
Flag = Annotated[Switch, Parameter(show_default=False)]
Json = Annotated[Flag, Parameter(help="Answer in JSON.")]
OutputPath = Annotated[Path, Parameter(name=("--output", "-o"))]
Output = Annotated[Path | None, Parameter(name=("--output", "-o"))]
CODE_FILE = "A file to write: .safetensors (certificate and provenance included), .npy, .csv or .pt (float64 rows)."
OutputCode = Annotated[Output, Parameter(help=CODE_FILE)]
StoreFolder = Annotated[Path | None, Parameter(name=("--store", "-o"))]
DryRun = Annotated[Flag, Parameter(help="Print what would be run.")]
DataDir = Annotated[Path | None, Parameter(help="Where to look for the data first.")]

Either = Annotated[bool | None, Parameter(negative=None)]
"""A flag that `--no-` before its name turns off."""

Mapping = Literal["fixed", "random"]
Subset = Literal["first", "random", "greedy"]


def flag(text: str) -> Any:
    """A field that is None unless the option is given; `text` is its help."""
    return field(default=None, metadata={"help": text})


@dataclass(frozen=True)
class SchemeOptions:
    """The schemes' own options; None where not given, so that the scheme's default holds."""

    modify: bool | None = flag(
        "Reach every dimension by shortening, extending and puncturing (bch, reed_muller)."
    )
    subset: Subset | None = flag("Which words of a larger code (bch, reed_muller).")
    q: Whole | None = flag("The size of the field, a prime power (reed_solomon).")
    lr: float | None = flag("The step size of the descent (log_sum_exp, mean_row_max).")
    steps: Whole | None = flag("The number of steps of the descent.")
    momentum: float | None = flag("The momentum of the descent.")
    dtype: str | None = flag("The number type of the descent, float32 or float64.")
    device: str | None = flag("Where the descent runs, e.g. cpu or cuda.")
    iterations: Whole | None = flag(
        "Evaluations of the search (optimized, best; 0 for best is what is known already)."
    )
    budget: float | None = flag("Seconds of the search instead (optimized, best).")
    catalogue: Either = flag("Whether to use what is kept of earlier searches (best).")
    starts: str | None = flag("Kinds of starts of the search, joined by + (optimized).")
    algebraic: Either = flag(
        "Whether to start from the algebraic codes as well (optimized)."
    )
    polish: Either = flag("Whether to end with Newton's method (optimized).")
    prefer: str | None = flag(
        "What best chooses by, separated or frame_potential (best)."
    )
    tolerance: float | None = flag(
        "How much max cosine may be given for an even code (best)."
    )
    similarity: str | None = flag(
        "A .npy, .csv or .txt file with K x K similarities, or a tree's name (semantic, hierarchical)."
    )
    weight: float | None = flag("How much similarity counts, from 0 to 1 (semantic).")
    temperature: float | None = flag("The last temperature of the descent (semantic).")
    tree: str | None = flag(
        "A text file with a line 'child parent' each, or a tree's name (hierarchical, hierarchy_frame)."
    )
    spread: float | None = flag(
        "How much nearer siblings may be than classes that meet at the root (hierarchical)."
    )
    gamma: float | None = flag(
        "How fast cosines fall with the distance in the tree (hierarchy_frame)."
    )

    def given(self) -> dict[str, Any]:
        """Those that were given; a similarity in a file is read."""
        options = {
            name: value for name, value in asdict(self).items() if value is not None
        }
        if self.similarity is not None and Path(self.similarity).suffix:
            options["similarity"] = read_points(Path(self.similarity))
        return options


UNSET = SchemeOptions()
Options = Annotated[
    SchemeOptions,
    Parameter(
        name="*", negative="", group=Group("Options of some schemes", sort_key=1)
    ),
]


@dataclass(frozen=True)
class SimilaritySources:
    """Where a similarity comes from; just one of them."""

    matrix: Path | None = flag(
        "A .npy, .csv or .txt file with the K x K similarities themselves."
    )
    embeddings: Path | None = flag("Such a file with one vector per class.")
    confusion: Path | None = flag(
        "Such a file with a confusion matrix, true classes in rows."
    )
    features: Path | None = flag(
        "An .npz file with x_train and y_train, whose class means are compared."
    )
    tree: str | None = flag(
        "A text file with a line 'child parent' each, or the name of a tree we ship, such as cifar100_superclasses."
    )

    def similarity(self) -> Any:
        """The similarity, or the tree that has one."""
        readers: dict[str, Callable[[Any], Any]] = {
            "matrix": read_points,
            "embeddings": lambda path: ps.similarity_from_embeddings(read_points(path)),
            "confusion": lambda path: ps.similarity_from_confusion(read_points(path)),
            "features": ps.similarity_from_features,
            "tree": ps.taxonomy,
        }
        given = [
            (read, getattr(self, name))
            for name, read in readers.items()
            if getattr(self, name) is not None
        ]
        if len(given) != 1:
            known = ", ".join(f"--{name}" for name in readers)
            raise InvalidArgumentError(
                f"similarity comes from just one of {known}, got {len(given)} of them"
            )
        read, source = given[0]
        return read(source)


NO_SOURCE = SimilaritySources()
Sources = Annotated[
    SimilaritySources, Parameter(name="*", group=Group("Similarity from", sort_key=1))
]
