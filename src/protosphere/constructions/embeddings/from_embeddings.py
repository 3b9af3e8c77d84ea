"""The function that makes prototypes from one vector per class."""

from __future__ import annotations

from math import acos, cos, degrees, radians, sin
from typing import Any

import numpy as np

from protosphere.bounds import converse
from protosphere.constructions.embeddings.principal import (
    as_power,
    as_vectors,
    directions_of,
    principal_components,
)
from protosphere.constructions.embeddings.quantization import Units, quantized
from protosphere.constructions.embeddings.spreading import spread
from protosphere.constructions.limits import dense_points_fit
from protosphere.errors import InfeasibleError, as_integer, as_positive, brief
from protosphere.geometry.sphere import normalized, padded
from protosphere.spherical.certificate import certified
from protosphere.spherical.placement import Placement
from protosphere.spherical.spherical_code import SphericalCode
from protosphere.spherical.structures import Plain
from protosphere.spherical.structures.quantized import LARGEST_QUANTIZED_DIM
from protosphere.types import Points, Progress, ignore

MOST_DENSE_CLASSES = 50_000
"""Largest number of classes for dense prototypes, which are certified by comparing all pairs."""

DEFAULT_ANGLE = 5.0
"""Default minimum angle in degrees, unless there are too many classes for this angle in the dimension."""

LEAST_ANGLE = 1e-6
"""Smallest allowed value of `min_angle`, in degrees; the cosine of a smaller angle is 1 in float64."""

SHARE_OF_ANGLE = 0.25
"""Largest default angle, relative to the largest minimum angle that K points in R^n can have."""

MOST_HALVINGS = 10
"""Largest number of times that the default angle is halved if the points cannot be moved so far apart."""


def from_embeddings(
    vectors: Any,
    dim: int | None = None,
    *,
    whiten: float = 1.0,
    parts: int | None = None,
    min_angle: float | None = None,
    seed: int = 0,
    progress: Progress = ignore,
) -> SphericalCode:
    """Make prototypes from one vector per class, so that classes with similar vectors have similar prototypes.

    The vectors may be class means of inputs or of features, or embeddings of class names. They are centered, reduced to
    their principal components, whitened and normalized. No K x K matrix is made.

    If `parts` is given, the prototypes are compressed by product and residual quantization. The first coordinates are
    divided into a few parts, and in each part a prototype has one of up to 256 stored vectors. The other coordinates of
    a prototype are a sum of stored vectors, one from each of several codebooks. A prototype is then stored in one byte
    for each part and each codebook, and a head computes its logits from lookup tables instead of matrix products. Use
    compression for more than 50,000 classes.

    Args:
        vectors: K x d matrix whose row i is the vector of class i, as an array or a tensor.
        dim: Dimension n, at least 2. If it is None, n is the number of dimensions in which the vectors vary.
        whiten: A number from 0 to 1. Each principal component is divided by its standard deviation to the power
            `whiten`. With 0, the variances of the components do not change. With 1, all components get the same
            variance.
        parts: Number of bytes of a compressed prototype, at most n / 2. This is the number of parts plus the number of
            codebooks. A good choice is n / 4. If it is None, the prototypes are dense.
        min_angle: Smallest angle in degrees between two prototypes. Prototypes that are closer are moved apart. For
            dense prototypes, the default is 5 degrees, or less if K points with this angle do not fit. For compressed
            prototypes, there is no default angle. Instead, the stored vectors of each part are moved apart to half of
            the distance that as many equally spaced vectors would have, or to less if this distance cannot be reached.
        seed: Seed of the random moves and of the quantization.
        progress: Function that is called with a text, the number of finished steps and the number of all steps, during
            quantization and while pairs of prototypes are compared.

    Returns:
        The code with its certificate. Point i is the prototype of class i.

    Raises:
        InvalidArgumentError: If `vectors` is not a matrix of finite numbers, if all its rows are the same, or if
            another argument is not valid.
        InfeasibleError: If there are more than 50,000 classes and `parts` is None, if the prototypes do not fit in
            memory, if the vectors vary in too few dimensions, or if `min_angle` cannot be reached.

    Example:
        >>> vectors = np.random.default_rng(0).standard_normal((1000, 64))
        >>> from_embeddings(vectors, dim=32).dim
        32
        >>> from_embeddings(vectors, dim=32, parts=8).placement.structure.values.shape
        (1000, 8)
    """
    rows = as_vectors(vectors)
    power = as_power(whiten)
    rng = np.random.default_rng(as_integer("seed", seed, minimum=0))
    most = rows.shape[1] if dim is None else as_integer("dim", dim, minimum=2)
    if parts is None and len(rows) > MOST_DENSE_CLASSES:
        raise InfeasibleError(
            f"'from_embeddings' certifies dense prototypes of up to {MOST_DENSE_CLASSES} classes, got {len(rows)}; "
            f"parts= compresses more, such as parts={_suggested_parts(rows.shape[1] if dim is None else most)}"
        )
    if parts is not None:
        as_integer("parts", parts, minimum=1)
    components = principal_components(rows, min(most, rows.shape[1]), rng)
    units = directions_of(rows, components, power, rng)
    n = units.shape[1] if dim is None else dim
    if n == 1 and len(units) > 2:
        raise InfeasibleError(
            f"'dim' must be at least 2 for {len(units)} classes, got vectors that vary in 1 dimension; dim=3 works"
        )
    if parts is None:
        if not dense_points_fit(8 * len(units) * n):
            raise InfeasibleError(
                f"'dim' must be smaller for {len(units)} dense prototypes to fit in memory, got {brief(n)}"
            )
        return _dense(units, n, min_angle, rng, progress)
    return _compressed(units, n, parts, min_angle, rng, progress)


def _suggested_parts(dim: int) -> int:
    return max(2, dim // 4)


def _dense(
    units: Units,
    dim: int,
    min_angle: float | None,
    rng: np.random.Generator,
    progress: Progress,
) -> SphericalCode:
    points = padded(normalized(units.astype(np.float64)), dim)
    apart, angle = _spread(points, min_angle, rng)
    moved = int((apart != points).any(axis=1).sum())
    description = (
        f"{units.shape[1]} principal components of {len(points)} vectors, {moved} of them moved to be at least "
        f"{angle:.3g} degrees apart"
    )
    placement = Placement(description, Plain(apart))
    guarantee = cos(radians(angle))
    return SphericalCode(placement, certified(placement, guarantee, progress), None)


def _spread(
    points: Points, min_angle: float | None, rng: np.random.Generator
) -> tuple[Points, float]:
    if min_angle is not None:
        angle = _checked_angle(min_angle)
        return spread(points, angle, rng), angle
    angle = _default_angle(*points.shape)
    # the default angle is halved each time that the points cannot be moved so far apart
    for _ in range(MOST_HALVINGS):
        try:
            return spread(points, angle, rng), angle
        except InfeasibleError:
            angle /= 2
    return spread(points, angle, rng), angle


def _checked_angle(min_angle: float) -> float:
    angle = as_positive("min_angle", min_angle)
    if angle < LEAST_ANGLE:
        raise InfeasibleError(
            f"'min_angle' must be at least {LEAST_ANGLE:g} degrees, got {angle:g}; cosines of smaller angles are 1"
        )
    if angle > 180:
        raise InfeasibleError(
            f"'min_angle' must be at most 180 degrees, got {angle:g}; 5 is the default"
        )
    return angle


def _default_angle(num_points: int, dim: int) -> float:
    # in degrees, the largest minimum angle that the converse bound allows
    largest = degrees(acos(float(converse(num_points, dim).value)))
    return min(DEFAULT_ANGLE, SHARE_OF_ANGLE * largest)


def _compressed(
    units: Units,
    dim: int,
    num_parts: int,
    min_angle: float | None,
    rng: np.random.Generator,
    progress: Progress,
) -> SphericalCode:
    n = units.shape[1]
    if n < 2 * num_parts:
        more = f"parts={n // 2} works" if n >= 4 else "leave 'parts' out"
        raise InfeasibleError(
            f"'parts' needs two dimensions a part, got {num_parts} parts of vectors that vary in {n} dimensions; {more}"
        )
    if dim > LARGEST_QUANTIZED_DIM:
        raise InfeasibleError(
            f"'dim' must be at most {LARGEST_QUANTIZED_DIM:,} for compressed prototypes, got {brief(dim)}"
        )
    distance = None
    if min_angle is not None:
        distance = 2 * sin(radians(_checked_angle(min_angle)) / 2)
    found, cosine = quantized(units, num_parts, distance, rng, progress)
    separate = len(found.parts)
    others = len(found.codebooks)
    description = (
        f"{len(units)} vectors in {num_parts} bytes each: {separate} {'part' if separate == 1 else 'parts'} and "
        f"{others} {'codebook' if others == 1 else 'codebooks'}, mean cosine {cosine:.3f} with the vectors"
    )
    guarantee = 1 - min(found.part_distances())
    placement = Placement(description, found.padded(dim))
    return SphericalCode(placement, certified(placement, guarantee, progress), None)
