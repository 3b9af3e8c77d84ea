"""Save and load the state of a `PrototypeHead` in a state_dict: its prototypes and its settings.

The state is one uint8 tensor, which both `torch.load(weights_only=True)` and safetensors can read. It consists of eight
magic bytes, the length of the header, a JSON header, and a compressed safetensors file with the prototypes. The
prototypes themselves are saved, because prototypes that are constructed again may depend on the CPU, the number of
threads and the version of protosphere. For large codes, arrays that can be recomputed exactly are left out: codewords
that follow from the code's algebraic structure, and points given by a formula. A class in use is one that the head
tells apart now. A reserved class has a prototype, but is not in use yet.
"""

import hashlib
import json
import zlib
from importlib import import_module
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from protosphere.constructions.build import rebuild
from protosphere.constructions.codes_from_files import (
    is_closed_form,
    verified_if_quick,
)
from protosphere.constructions.registry import describe
from protosphere.errors import (
    InvalidArgumentError,
    ProtosphereError,
    as_positive,
    as_text,
)
from protosphere.spherical.distinct import require_different_points
from protosphere.spherical.io import code_file as file
from protosphere.spherical.io import container as storage
from protosphere.spherical.io.loading import code_from_parts
from protosphere.spherical.provenance import Provenance
from protosphere.spherical.spherical_code import SphericalCode

UNSUSPECTED_BYTES, LARGEST_RATIO = 1 << 28, 64
"""Limits on the unpacked size of a code, as protection against decompression bombs.

The first limit is a number of bytes, the second a multiple of the packed size. A code is refused only if it exceeds
both limits.
"""

MAGIC = b"psphead2"
"""First bytes of every head state; they identify the format and its version."""

MOST_CARRIED = 1_000_000
"""Largest number K n of coordinates of a code for which no array is left out of the state."""

POINT_TOLERANCE = 1e-6
"""Largest difference between coordinates of two codes that counts as a rounding error."""

ROUNDED = 1 << 20
"""Points given by a formula are rounded to multiples of 1 / ROUNDED before they are compared."""

MOST_COMPARED = 1 << 34
"""Largest number K n of coordinates for which two codes are compared point by point."""

BLOCK_ROWS = 1 << 14

_packed: WeakKeyDictionary[SphericalCode, bytes] = WeakKeyDictionary()
_digests: WeakKeyDictionary[SphericalCode, str] = WeakKeyDictionary()


class SavedHead(NamedTuple):
    """Contents of a saved head state.

    Attributes:
        header: JSON header of the state. Its entries are, for example, the digest of the code, the number of classes,
            and the settings of the head.
        packed_code: Code of all classes, including reserved ones, as bytes that the function `packed_code` returned.
    """

    header: dict[str, Any]
    packed_code: bytes


def code_digest(code: SphericalCode) -> str:
    """Return the SHA-256 digest of the arrays that define the points of a code.

    Such an array is, for example, the matrix of float64 points, or the codewords with eight bits in a byte. The digest
    of each code is computed once and then cached.

    Args:
        code: The prototypes.
    """
    if code not in _digests:
        _digests[code] = storage.digest(
            code.placement.structure.point_arrays(), str(code.dim)
        )
    return _digests[code]


def packed_state(
    code: SphericalCode,
    reserve: SphericalCode,
    settings: dict[str, Any],
    started: float,
) -> Tensor:
    """Return the state of a head as a uint8 tensor.

    Args:
        code: Code of the classes in use. Its points are the first points of `reserve`.
        reserve: Code of all classes, including those reserved for later.
        settings: Values of the arguments `preset`, `scale` and `projection` of the head, by name.
        started: Scale of the head or, if the scale is learned, its initial value.
    """
    header = {
        "num_classes": code.num_classes,
        "dim": code.dim,
        "code": repr(code),
        "digest": code_digest(code),
        "reserve_digest": code_digest(reserve),
        "settings": settings,
        "scale_started": started,
    }
    text = json.dumps(header, sort_keys=True).encode()
    if reserve not in _packed:
        _packed[reserve] = packed_code(reserve)
    state = MAGIC + len(text).to_bytes(8, "little") + text + _packed[reserve]
    return torch.frombuffer(bytearray(state), dtype=torch.uint8)


def unpacked_state(state: Tensor) -> SavedHead:
    """Return the header and the compressed code of a head state.

    Args:
        state: Head state as a uint8 tensor, which `packed_state` returned.

    Raises:
        InvalidArgumentError: If the state was not written by protosphere.
    """
    try:
        raw = state.cpu().numpy().tobytes()
        start = len(MAGIC) + 8
        stop = start + int.from_bytes(raw[len(MAGIC) : start], "little")
        if not raw.startswith(MAGIC):
            raise ValueError(f"it does not begin with {MAGIC.decode()}")
        header = json.loads(raw[start:stop])
        if (
            not {"preset", "scale", "projection"}.issuperset(header["settings"])
            or type(header["num_classes"]) is not int
        ):
            raise ValueError("its settings are others")
        as_text("preset", header["settings"]["preset"])
        if header.get("scale_started") is not None:
            header["scale_started"] = as_positive(
                "scale_started", header["scale_started"]
            )
        return SavedHead(dict(header), raw[stop:])
    except (
        AttributeError,
        LookupError,
        RecursionError,
        TypeError,
        ValueError,
    ) as error:
        raise InvalidArgumentError(
            f"the checkpoint's head state is not one that protosphere wrote: {error}"
        ) from error


def scale_start(saved: SavedHead, preset: str) -> float | None:
    """Return the scale that a saved state prescribes for a head with the same preset, or None if it prescribes none.

    The result is None in three cases: the head has another preset than the saved head, the argument `scale` of the
    saved head was a number, or the state contains no scale.

    Args:
        saved: The saved state.
        preset: Name of the preset of the head that loads the state.

    Returns:
        The scale of the saved head. If the saved head learned its scale, the result is the initial value of this scale.
    """
    settings = saved.header["settings"]
    chosen = settings["preset"] == preset and isinstance(settings.get("scale"), str)
    return saved.header.get("scale_started") if chosen else None


def packed_code(code: SphericalCode) -> bytes:
    """Return the bytes of a zlib-compressed safetensors file that contains a code.

    If the points of the code have more than a million coordinates together, arrays that can be recomputed exactly are
    left out of the file.

    Args:
        code: The code of all classes of a head, including reserved ones.
    """
    safetensors: Any = import_module("safetensors.numpy")  # its own types are partial
    arrays = code.placement.structure.arrays()
    left_out = _left_out(code)
    carried = {
        name: _compressible(array)
        for name, array in arrays.items()
        if name not in left_out
    }
    description = file.described(code)
    description |= {
        "left_out": left_out,
        "left_out_digest": _verification_digest(code, left_out),
    }
    return zlib.compress(
        safetensors.save(carried, metadata={"description": json.dumps(description)}),
        level=1,
    )


def _left_out(code: SphericalCode) -> list[str]:
    if code.num_classes * code.dim <= MOST_CARRIED:
        return []
    # the arrays in the result can be recomputed exactly
    closed = (
        code.provenance is not None
        and describe(code.provenance.placed_by.construction).traits.closed_form
    )
    structure = code.placement.structure
    return [
        *structure.derived,
        *(["points"] if closed and structure.points is not None else []),
    ]


def _compressible(array: NDArray[Any]) -> NDArray[Any]:
    if (
        array.ndim == 1
    ):  # indices of codewords mostly increase by one, so their differences compress better
        return np.diff(array, prepend=array.dtype.type(0))
    return np.ascontiguousarray(array)


def rounded_digest(code: SphericalCode) -> str:
    """Return the SHA-256 digest of the rounded points of a code.

    Coordinates are rounded to multiples of 2^-20. Therefore the digest is almost always the same on two CPUs that
    compute points with different last bits.

    Args:
        code: The code.
    """
    sha = hashlib.sha256()
    for start in range(0, code.num_classes, BLOCK_ROWS):
        sha.update(
            np.rint(code.rows(start, start + BLOCK_ROWS) * ROUNDED)
            .astype(np.int32)
            .tobytes()
        )
    return sha.hexdigest()


def _verification_digest(code: SphericalCode, left_out: list[str]) -> str | None:
    if not left_out:
        return None
    return rounded_digest(code) if "points" in left_out else code_digest(code)


def saved_code(saved: SavedHead) -> SphericalCode:
    """Return the code of all classes of a saved head, including reserved ones.

    Arrays that were left out of the state are recomputed.

    Args:
        saved: The saved state.

    Raises:
        InvalidArgumentError: If the state is damaged, or the recomputed arrays differ from the original ones.
    """
    try:
        return _read_code(saved.packed_code)
    except ProtosphereError:
        raise
    except (
        Exception
    ) as error:  # zlib and safetensors raise many kinds of errors for damaged bytes
        raise InvalidArgumentError(
            f"the checkpoint's head state is damaged: {error}"
        ) from error


def _read_code(packed: bytes) -> SphericalCode:
    safetensors: Any = import_module("safetensors.numpy")
    unpacking = zlib.decompressobj()
    raw = unpacking.decompress(
        packed, max(UNSUSPECTED_BYTES, LARGEST_RATIO * len(packed))
    )
    if not unpacking.eof:
        raise ValueError("its code is cut off, or unpacks to more than any")
    length = int.from_bytes(raw[:8], "little")
    description: dict[str, Any] = json.loads(
        json.loads(raw[8 : 8 + length])["__metadata__"]["description"]
    )
    arrays: dict[str, NDArray[Any]] = safetensors.load(raw)
    arrays = {
        name: np.cumsum(array) if array.ndim == 1 else array
        for name, array in arrays.items()
    }
    left_out = description["left_out"]
    if "points" in left_out:
        code = _built_again(description)
    else:
        code = _certified_again(arrays, description)
    if _verification_digest(code, left_out) != description["left_out_digest"]:
        raise InvalidArgumentError(
            "the code built again differs from the one that was saved: use the version that did"
        )
    require_different_points(code)
    return code


def _built_again(description: dict[str, Any]) -> SphericalCode:
    provenance = Provenance.from_json(description["provenance"])
    if not is_closed_form(provenance):
        raise InvalidArgumentError(
            "the code that was left out is not of a closed form: its points should be there"
        )
    return rebuild(provenance)


def _certified_again(
    arrays: storage.Arrays, description: dict[str, Any]
) -> SphericalCode:
    # Measuring the code again may take too long; the certificate in `description` is then marked as unverified.
    return verified_if_quick(code_from_parts(file.parts(arrays, description)))


def reserve_to_use(
    saved: SavedHead, code: SphericalCode, reserve: SphericalCode
) -> SphericalCode:
    """Return the prototypes that a head uses after loading a state, including those of reserved classes.

    The head keeps its own prototypes if the saved prototypes are equal to them. It takes the saved prototypes if they
    differ from its own only by rounding, or if another version of protosphere built them with the same scheme, sizes
    and options.

    Args:
        saved: The saved state.
        code: Prototypes of the head's classes in use.
        reserve: Prototypes of all classes of the head, including reserved ones.

    Raises:
        InvalidArgumentError: If the saved prototypes differ in any other way. The error is also raised if the saved
            head has more classes in use than this head; then call `PrototypeHead.grow` before loading.
    """
    header = saved.header
    if header.get("digest") == code_digest(code):
        return reserve
    if header.get("reserve_digest") != code_digest(reserve):
        theirs = saved_code(saved) if header.get("dim") == code.dim else None
        if theirs is None or not _can_replace(theirs, reserve):
            mine = f"{code!r}"
            other = header.get("code", "an unknown code")
            same = " (the same scheme, but other points)" if other == mine else ""
            raise InvalidArgumentError(
                f"the checkpoint's prototypes are not this head's: it was trained with {other}, this head has {mine}"
                f"{same}; PrototypeHead.from_state_dict builds the head that it needs"
            )
        reserve = theirs  # made on a CPU that rounds differently, or by another version
    if header["num_classes"] > code.num_classes:
        raise InvalidArgumentError(
            f"the checkpoint has {header['num_classes']} classes, this head {code.num_classes}: "
            f"call head.grow({header['num_classes']}) before loading"
        )
    return reserve


def _can_replace(theirs: SphericalCode, mine: SphericalCode) -> bool:
    if (theirs.num_classes, theirs.dim) != (mine.num_classes, mine.dim):
        return False
    if (
        theirs.provenance is not None
        and mine.provenance is not None
        and theirs.provenance.agrees(mine.provenance)
    ):
        return True
    if _same_arrays(theirs, mine):
        return True
    if mine.num_classes * mine.dim > MOST_COMPARED:
        return False
    starts = range(0, mine.num_classes, BLOCK_ROWS)
    return all(
        np.abs(theirs.rows(i, i + BLOCK_ROWS) - mine.rows(i, i + BLOCK_ROWS)).max()
        <= POINT_TOLERANCE
        for i in starts
    )


def _same_arrays(theirs: SphericalCode, mine: SphericalCode) -> bool:
    if theirs.placement.structure.name != mine.placement.structure.name:
        return False
    first = theirs.placement.structure.point_arrays()
    second = mine.placement.structure.point_arrays()
    if first.keys() != second.keys():
        return False
    return all(
        first[name].shape == second[name].shape
        and np.allclose(first[name], second[name], rtol=0, atol=POINT_TOLERANCE)
        for name in first
    )
