"""Golden files: small codes and states of heads of every kind. Later versions of the package must be able to read them.

`python -m tools.golden tests/golden/VERSION` writes them to a new folder. With `--replace`, it writes them again. Use
this option only before VERSION is released. After the release, the files never change.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch.distributed as dist
from safetensors.torch import save_file

import protosphere as ps
from protosphere.assignment.similarity import similarity_text
from protosphere.coding.shortened_cosets import ShortenedCosets
from protosphere.constructions.block_codes.coset_forms import coset_union
from protosphere.constructions.elementary.simplex import simplex_points
from protosphere.nn import PrototypeHead, ShardedProjection, first_classes
from protosphere.nn.checkpoint import code_digest, rounded_digest
from protosphere.spherical.certificate import certified
from protosphere.spherical.placement import Placement
from protosphere.spherical.structures import GluedWords, ShortenedWords, with_axes
from protosphere.spherical.structures.structure import STRUCTURES

ALIKE = np.cos(np.subtract.outer(range(9), range(9)))
VECTORS = np.random.default_rng(0).standard_normal((30, 8))
TREE = "".join(f"c{number}\ts{number // 3}\n" for number in range(9)) + "s0\tt\ns1\tt\n"

SCHEMES: dict[str, tuple[int, int, dict[str, Any]]] = {
    "one_hot": (12, 15, {}),
    "uniform": (20, 7, {"seed": 3}),
    "simplex": (12, 11, {"mapping": "random"}),
    "cross_polytope": (13, 7, {}),
    "orthogonal_simplices": (13, 8, {"mapping": "random"}),
    "reed_muller": (60, 45, {"modify": True, "mapping": "random"}),
    "bch": (60, 45, {"modify": True, "subset": "random"}),
    "reed_solomon": (30, 24, {}),
    "kerdock": (150, 16, {"mapping": "random"}),
    "delsarte_goethals": (300, 16, {}),
    "gold": (300, 32, {}),
    "lifted_cross_polytopes": (40, 17, {}),
    "lifted_bases": (40, 24, {}),
    "shortened_cosets": (100, 15, {"mapping": "random"}),
    "construction_x": (70, 20, {}),
    "best_known_linear": (60, 23, {"mapping": "random"}),
    "paley_frame": (20, 7, {}),
    "steiner_frame": (30, 28, {}),
    "two_graph_frame": (30, 21, {}),
    "generalized_quadrangle": (30, 21, {}),
    "designs": (40, 11, {}),
    "strongly_regular": (40, 20, {}),
    "weil_chirp": (30, 6, {}),
    "root_system": (50, 6, {}),
    "signed_quadruples": (40, 11, {}),
    "e8_shell": (100, 8, {"mapping": "random"}),
    "coxeter_todd_shell": (60, 12, {}),
    "barnes_wall_shell": (40, 16, {}),
    "leech_shell": (40, 24, {}),
    "laminated": (40, 20, {}),
    "lattice_shell": (60, 10, {}),
    "sharp_codes": (40, 22, {}),
    "kissing_configuration": (40, 17, {}),
    "derived_code": (40, 22, {}),
    "polygon": (17, 2, {}),
    "polytope": (24, 3, {}),
    "apple_peeling": (40, 4, {}),
    "mean_row_max": (20, 6, {"steps": 20}),
    "log_sum_exp": (20, 6, {"steps": 20}),
    "optimized": (20, 5, {"iterations": 200}),
    "semantic": (9, 4, {"similarity": similarity_text(ALIKE), "steps": 20}),
    "semantic_ranking": (9, 4, {"similarity": similarity_text(ALIKE), "steps": 20}),
    "hierarchical": (9, 4, {"tree": TREE, "steps": 20, "mapping": "random"}),
    "hierarchy_frame": (9, 8, {"tree": TREE, "gamma": 2.0}),
    "composed": (12, 6, {"table": "4 x 3", "mapping": "random"}),
    "clusters": (20, 6, {"seed": 3, "clusters": 3, "spread": 0.5}),
    "rotated_bases": (20, 6, {"seed": 3, "mapping": "random"}),
    "best": (100, 16, {"iterations": 0, "catalogue": False, "mapping": "random"}),
}
"""K, n and options of one code of each scheme."""


def codes() -> dict[str, ps.SphericalCode]:
    """Return all codes that are written to files, by a name that is part of the file name."""
    made = {
        name: ps.construct(name, num_classes=K, dim=n, **more)
        for name, (K, n, more) in SCHEMES.items()
    }
    kerdock = ps.construct("kerdock", num_classes=200, dim=16)
    return made | {
        "best-optimal": ps.best(num_classes=24, dim=12),
        "best-construction-x": ps.best(
            num_classes=600, dim=12, iterations=0, catalogue=False
        ),
        "best-catalogue": ps.best(num_classes=40, dim=9, iterations=0),
        "best-search": ps.best(num_classes=310, dim=3, iterations=50),
        "best-budget": ps.best(num_classes=30, dim=4, budget=1.2),
        "first-classes": first_classes(kerdock, 40),
        "assigned": ps.assign(ps.construct("uniform", num_classes=9, dim=4), ALIKE),
        "glued": _glued(),
        "words-and-axes": _words_and_axes(),
        "parts": ps.compose(range(60), by=lambda i: [i // 20, i % 7, i % 4], reserve=1),
        "embeddings": ps.from_embeddings(VECTORS, parts=2),
        "points": ps.from_points(ps.construct("uniform", num_classes=9, dim=4).points),
        "signs": ps.from_points(kerdock.points[::5]),
    }


def _glued() -> ps.SphericalCode:
    """Return a code whose points are packed codewords with a glue vector."""
    words = ShortenedWords.of(ShortenedCosets(4, 0, 1), 60)
    placement = Placement(
        "words with a glue vector", GluedWords(words, 0.8, simplex_points(2), 32)
    )
    return ps.SphericalCode(placement, certified(placement, None), None)


def _words_and_axes() -> ps.SphericalCode:
    """Return a code whose points are packed codewords and vectors of the standard basis, as in Kerdock codes."""
    placement = Placement("words and axes", with_axes(coset_union(4, 200), 20))
    return ps.SphericalCode(placement, certified(placement, None), None)


def heads() -> dict[str, PrototypeHead]:
    """Return all heads whose `state_dict` is written to a file, by a name that is part of the file name."""
    made: dict[str, Callable[[], PrototypeHead]] = {
        "default": lambda: PrototypeHead(100, dim=64),
        "best-algebra": lambda: PrototypeHead(
            100, dim=24, options={"catalogue": False}
        ),
        "best-catalogue": lambda: PrototypeHead(60, dim=12),
        "best-search": lambda: PrototypeHead(310, dim=3, options={"iterations": 50}),
        "best-budget": lambda: PrototypeHead(30, dim=4, options={"budget": 1.2}),
        "log-sum-exp": lambda: PrototypeHead(
            20, dim=6, scheme="log_sum_exp", options={"steps": 20}
        ),
        "learned-scale": lambda: PrototypeHead(10, dim=16, reserve=100, scale="learn"),
        "nested": lambda: PrototypeHead(
            10, dim=8, scheme="uniform", seed=3, reserve=30
        ),
        "grown": lambda: PrototypeHead(
            10, dim=8, scheme="uniform", seed=3, reserve=30
        ).grow(20),
        "grown-chain": lambda: PrototypeHead(
            20, dim=16, scheme="kerdock", reserve=200
        ).grow(90),
        "permuted": lambda: PrototypeHead(
            ps.construct("simplex", num_classes=10, dim=9, mapping="random"), scale=2.0
        ),
        "first-classes": lambda: PrototypeHead(
            first_classes(ps.construct("gold", num_classes=200, dim=32), 50)
        ),
        "points": lambda: PrototypeHead(
            ps.from_points(ps.construct("uniform", num_classes=9, dim=4).points)
        ),
        "modified": lambda: PrototypeHead(
            50, dim=45, scheme="bch", options={"modify": True}, preset="mettes"
        ),
        "large-cosets": lambda: PrototypeHead(65_536, dim=256),
        "large-glued": lambda: PrototypeHead(50_000, dim=150),
        "large-linear": lambda: PrototypeHead(40_000, dim=128, scheme="gold"),
        "large-permuted": lambda: PrototypeHead(
            ps.construct(
                "shortened_cosets", num_classes=30_000, dim=62, mapping="random"
            )
        ),
        "large-closed-form": lambda: PrototypeHead(1100, dim=1099, scheme="simplex"),
        "sharded": _sharded,
    }
    return {name: make() for name, make in made.items()}


def _sharded() -> PrototypeHead:
    with tempfile.TemporaryDirectory() as folder:
        dist.init_process_group(
            "gloo", init_method=f"file://{folder}/store", rank=0, world_size=1
        )
        head = PrototypeHead(60, dim=16, scheme="kerdock")
        head.projection = ShardedProjection(head.code)  # pyright: ignore[reportAttributeAccessIssue] - in its place
        dist.destroy_process_group()
    return head


def write_golden(folder: Path) -> None:
    """Write the files of all codes and heads, and a file with the digests of their points.

    Args:
        folder: Folder for the files. It must not exist.

    Raises:
        FileExistsError: If the folder exists.
        ProtosphereError: If `codes` has no code of some scheme or structure.
    """
    if folder.exists():
        raise FileExistsError(folder)
    made = codes()
    require_every_kind(made)
    folder.mkdir(parents=True)
    digests: dict[str, dict[str, str]] = {}
    for name, code in made.items():
        code.save(folder / f"code-{name}.safetensors")
        digests[f"code-{name}"] = _digests(code)
    for name, head in heads().items():
        save_file(dict(head.state_dict()), folder / f"head-{name}.safetensors")
        digests[f"head-{name}"] = _digests(head.code)
    text = json.dumps(digests, indent=1, sort_keys=True)
    (folder / "digests.json").write_text(text + "\n")


def require_every_kind(made: Mapping[str, ps.SphericalCode]) -> None:
    """Check that there is a code of each scheme and of each structure.

    Args:
        made: Codes by name. The code of a scheme has the name of the scheme.

    Raises:
        ProtosphereError: If a scheme or a structure has no code; the message names them.
    """
    schemes = [name for name in ps.available() if name not in made]
    written = {code.placement.structure.name for code in made.values()}
    structures = [name for name in STRUCTURES if name not in written]
    if schemes or structures:
        missing = ", ".join([*schemes, *structures])
        raise ps.ProtosphereError(f"'codes' has no file of: {missing}")


def _digests(code: ps.SphericalCode) -> dict[str, str]:
    return {"bits": code_digest(code), "rounded": rounded_digest(code)}


def replace_golden(folder: Path) -> None:
    """Write the golden files to a folder again, and remove its previous content. Use it only before the release."""
    with tempfile.TemporaryDirectory(dir=folder.parent) as beside:
        written = Path(beside) / folder.name
        write_golden(written)
        if folder.exists():
            shutil.rmtree(folder)
        written.rename(folder)


def main() -> None:
    """Write golden files as the command line specifies."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--replace",
        action="store_true",
        help="write the files of a version again that is not released yet",
    )
    arguments = parser.parse_args()
    if arguments.replace:
        replace_golden(arguments.folder)
    elif arguments.folder.exists():
        sys.exit(
            f"'{arguments.folder}' exists: files of a released version never change"
        )
    else:
        write_golden(arguments.folder)


if __name__ == "__main__":
    main()
