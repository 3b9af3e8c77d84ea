"""States of heads from before they carried points: provenance as it was then, and a digest to know the points by."""

import warnings
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from protosphere.code.certificate import certified
from protosphere.code.provenance import Provenance
from protosphere.code.spherical_code import SphericalCode
from protosphere.constructions.best_known import kept_points
from protosphere.constructions.candidates import candidates
from protosphere.constructions.rebuild import placement_of
from protosphere.errors import InvalidArgumentError


def rebuilt(words: dict[str, Any], digest_of: Callable[[SphericalCode], str]) -> SphericalCode:
    """The code of such a state with room for its reserve, built again: whatever has the digest."""
    if not words.get("provenance"):
        raise InvalidArgumentError("the checkpoint's code was given as points, without provenance: load its own file")
    provenance = Provenance(**words["provenance"])
    alike: SphericalCode | None = None
    for meant in _possible(provenance):
        placement = placement_of(meant)
        code = SphericalCode(placement, certified(placement, None), meant)
        if digest_of(code) == words["reserve_digest"]:
            return code
        if alike is None and f"{code!r}".partition(", ")[2] == words["code"].partition(", ")[2]:
            alike = code  # all that they say but the name of the scheme
    if alike is None:
        version = provenance.version
        raise InvalidArgumentError(f"the code built again differs from the one version {version} had: use that version")
    warnings.warn(
        f"the checkpoint is from version {provenance.version}, which did not keep points: they were built again, and "
        "agree with its figures, but not bit for bit; save it anew",
        stacklevel=4,
    )
    return alike


def _possible(provenance: Provenance) -> Iterable[Provenance]:
    """What the words may have meant: themselves, or, likely ones first, all that 'best' may have chosen by algebra."""
    if provenance.construction != "best" or provenance.options.get("iterations") != 0:
        return [provenance]
    K, n = provenance.num_classes, provenance.dim
    return (replace(provenance, resolved=kept_points(candidate, K, n)[1]) for candidate in candidates(K, n))
