"""What a head leaves in a state_dict instead of a matrix: how its code came about, and a digest of it.

The state is one uint8 tensor of JSON, so that `torch.load(weights_only=True)` and safetensors both read it.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import torch
from torch import Tensor

from protosphere.code import storage
from protosphere.code.provenance import Provenance
from protosphere.code.spherical_code import SphericalCode
from protosphere.constructions.rebuild import rebuild
from protosphere.errors import InvalidArgumentError


def code_digest(code: SphericalCode) -> str:
    """SHA-256 over the points as they are kept: packed words, or float64 rows, and their tails."""
    return storage.digest(code.placement.structure.point_arrays(), str(code.dim))


def packed_state(code: SphericalCode, reserve: SphericalCode, settings: dict[str, Any]) -> Tensor:
    """The state of a head that uses `code`, the first classes of `reserve`."""
    state = {
        "num_classes": code.num_classes,
        "dim": code.dim,
        "code": repr(code),
        "digest": code_digest(code),
        "reserve_digest": code_digest(reserve),
        "provenance": reserve.provenance and asdict(reserve.provenance),
        "settings": settings,
    }
    text = json.dumps(state, sort_keys=True).encode()
    return torch.frombuffer(bytearray(text), dtype=torch.uint8)


def unpacked_state(state: Tensor) -> dict[str, Any]:
    """What `packed_state` packed."""
    try:
        return json.loads(state.cpu().numpy().tobytes())
    except (AttributeError, TypeError, ValueError) as error:
        raise InvalidArgumentError(f"the checkpoint's head state is not one that protosphere wrote: {error}") from error


def require_same_code(saved: dict[str, Any], code: SphericalCode, reserve: SphericalCode) -> None:
    """Raise unless the saved prototypes are this code's, or earlier classes of the same reserve."""
    if saved.get("digest") == code_digest(code):
        return
    mine, theirs = f"{code!r}", saved.get("code", "an unknown code")
    if saved.get("reserve_digest") != code_digest(reserve):
        raise InvalidArgumentError(
            f"the checkpoint's prototypes are not this head's: it was trained with {theirs}, this head has {mine}"
            f"{_rounding(theirs, mine)}; PrototypeHead.from_state_dict builds the head that it needs"
        )
    if saved["num_classes"] > code.num_classes:
        raise InvalidArgumentError(
            f"the checkpoint has {saved['num_classes']} classes, this head {code.num_classes}: "
            f"call head.grow({saved['num_classes']}) before loading"
        )


def saved_code(saved: dict[str, Any]) -> SphericalCode:
    """The code of a checkpoint with room for its reserve, built again from its provenance and compared by digest."""
    if not saved["provenance"]:
        raise InvalidArgumentError("the checkpoint's code was given as points, without provenance: load its own file")
    code = rebuild(Provenance(**saved["provenance"]))
    if code_digest(code) != saved["reserve_digest"]:
        version = saved["provenance"]["version"]
        raise InvalidArgumentError(f"the code built again differs from the one version {version} had: use that version")
    return code


def _rounding(theirs: str, mine: str) -> str:
    return " (the same scheme, but other points)" if theirs == mine else ""
