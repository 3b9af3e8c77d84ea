"""Arguments and options that several commands use.

The scheme of a command is the method that computes the prototypes.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Group, Parameter, Token

import protosphere as ps
from protosphere.errors import InvalidArgumentError, brief
from protosphere.spherical.io.loading import read_points


def whole_number(kind: type, tokens: Sequence[Token]) -> int:
    """Return the value of an integer argument of the command line, converted from text.

    Args:
        kind: Type of the argument. It is not used; the parser cyclopts passes it.
        tokens: Parts of the argument as cyclopts has read it. Only the text of the first part is used.

    Raises:
        ValueError: If the text is not an integer. For example, '2.5' is not.
    """
    del kind
    word = tokens[0].value
    try:
        return int(word)
    except ValueError:
        raise ValueError(f"{brief(word)} is not an integer") from None


Whole = Annotated[int, Parameter(converter=whole_number)]
ClassesFlag = Annotated[Whole, Parameter(name=("--classes", "-K"))]
Classes = Annotated[ClassesFlag, Parameter(help="Number of prototypes K.")]
DimFlag = Annotated[Whole, Parameter(name=("--dim", "-n"))]
Dim = Annotated[DimFlag, Parameter(help="Dimension n.")]
Seed = Annotated[
    Whole,
    Parameter(help="Seed of all random choices; the same seed gives the same result."),
]
Switch = Annotated[bool, Parameter(negative="")]
Flag = Annotated[Switch, Parameter(show_default=False)]
Json = Annotated[Flag, Parameter(help="Print JSON.")]
OutputPath = Annotated[Path, Parameter(name=("--output", "-o"))]
Output = Annotated[Path | None, Parameter(name=("--output", "-o"))]
CODE_FILE = "File to write: .safetensors with certificate and provenance, or .npy, .csv or .pt with float64 rows only."
OutputCode = Annotated[Output, Parameter(help=CODE_FILE)]
StoreFolder = Annotated[Path | None, Parameter(name=("--store", "-o"))]
DEFAULT_STORE = Path("runs")
"""Default folder of the store, in which commands write training runs and from which they read them."""

DryRun = Annotated[Flag, Parameter(help="Print the runs without doing them.")]
DataDir = Annotated[
    Path | None, Parameter(help="Folder that is searched first for the data.")
]

Either = Annotated[bool | None, Parameter(negative=None)]
"""Type of a flag that can be given as `--NAME` or, to turn it off, as `--no-NAME`."""

Mapping = Literal["fixed", "random"]
Subset = Literal["first", "random", "greedy"]


def flag(text: str) -> Any:
    """Return a field for a dataclass of command-line options, whose fields are the options.

    If the user gives the option, the field has the value that the user gave. Otherwise it has the value None.

    Args:
        text: Help text of the option.
    """
    return field(default=None, metadata={"help": text})


@dataclass(frozen=True)
class SchemeOptions:
    """Command-line options for the options of schemes.

    An option that the user does not give is None. The scheme then uses its own default.
    """

    modify: bool | None = flag(
        "Shorten, extend or puncture the code to reach every dimension (bch, reed_muller)."
    )
    subset: Subset | None = flag(
        "Codewords of a larger code that become prototypes: the first, random ones, or ones that are chosen greedily "
        "(bch, reed_muller)."
    )
    q: Whole | None = flag("Size of the field, a prime power (reed_solomon).")
    lr: float | None = flag("Learning rate of the descent (log_sum_exp, mean_row_max).")
    steps: Whole | None = flag("Number of steps of the descent.")
    momentum: float | None = flag("Momentum of the descent.")
    dtype: str | None = flag("Data type of the descent, float32 or float64.")
    device: str | None = flag("Device of the descent, such as cpu or cuda.")
    iterations: Whole | None = flag(
        "Number of evaluations of the search. With 0, best uses known codes only (optimized, best)."
    )
    budget: float | None = flag(
        "Time limit of the search in seconds, instead of a number of evaluations (optimized, best)."
    )
    catalogue: Either = flag("Whether to use the catalogue of earlier searches (best).")
    starts: str | None = flag("Initializations of the search, joined by + (optimized).")
    algebraic: Either = flag(
        "Whether the search also starts from algebraic codes (optimized)."
    )
    polish: Either = flag("Whether the search ends with Newton's method (optimized).")
    prefer: str | None = flag(
        "Code to choose: separated is the code with the lowest maximum cosine; energy is the code with the lowest "
        "energy among the codes whose maximum cosine is at most --tolerance higher (best)."
    )
    tolerance: float | None = flag(
        "Largest increase of the maximum cosine that --prefer energy accepts (best)."
    )
    similarity: str | None = flag(
        "A .npy, .csv or .txt file with K x K similarities, or the name of a tree (semantic, hierarchical)."
    )
    weight: float | None = flag("Weight of the similarity, from 0 to 1 (semantic).")
    temperature: float | None = flag("Final temperature of the descent (semantic).")
    tree: str | None = flag(
        "A text file with lines 'child parent', or the name of a tree (hierarchical, hierarchy_frame)."
    )
    spread: float | None = flag(
        "Cosine of siblings minus the cosine of classes with only the root in common (hierarchical), sine of the angle "
        "between points and cluster centers (clusters), or angle in radians between bases (rotated_bases)."
    )
    clusters: Whole | None = flag("Number of clusters (clusters).")
    table: str | None = flag(
        "Numbers of values of the parts, such as '4 x 3', or a table with the value of each part for every class "
        "(composed)."
    )
    codes: str | None = flag("Scheme of each part, separated by spaces (composed).")
    weights: str | None = flag("Weight of each part, such as '1/2 1/2' (composed).")
    gamma: float | None = flag(
        "Rate at which cosines fall with the distance of two classes in the tree (hierarchy_frame)."
    )

    def given(self) -> dict[str, Any]:
        """Return the options that the user gave, as a dictionary from names to values.

        If the user gave the path of a file as `similarity`, the value is the matrix in the file.
        """
        options = asdict(self)
        for name, value in asdict(self).items():
            if value is None:
                del options[name]
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
    """Options for the source of the class similarity. The user must give exactly one of these options."""

    matrix: Path | None = flag("A .npy, .csv or .txt file with K x K similarities.")
    embeddings: Path | None = flag(
        "A .npy, .csv or .txt file with one vector for each class."
    )
    confusion: Path | None = flag(
        "A .npy, .csv or .txt file with a confusion matrix, whose rows are the true classes."
    )
    features: Path | None = flag(
        "An .npz file with x_train and y_train; the similarity is computed from the class means."
    )
    tree: str | None = flag(
        "A text file with lines 'child parent', or the name of a shipped tree, such as cifar100_superclasses."
    )

    def similarity(self) -> Any:
        """Return the K x K matrix of class similarities or, if the user gave --tree, the class tree.

        Raises:
            InvalidArgumentError: If the user gave none of the options or more than one.
        """
        readers: dict[str, Callable[[Any], Any]] = {
            "matrix": read_points,
            "embeddings": lambda path: ps.similarity_from_embeddings(read_points(path)),
            "confusion": lambda path: ps.similarity_from_confusion(read_points(path)),
            "features": ps.similarity_from_features,
            "tree": ps.taxonomy,
        }
        given = [name for name in readers if getattr(self, name) is not None]
        if len(given) != 1:
            known = ", ".join(f"--{name}" for name in readers)
            raise InvalidArgumentError(
                f"similarity comes from just one of {known}, got {len(given)} of them"
            )
        source = given[0]
        return readers[source](getattr(self, source))


NO_SOURCE = SimilaritySources()
Sources = Annotated[
    SimilaritySources, Parameter(name="*", group=Group("Similarity from", sort_key=1))
]
