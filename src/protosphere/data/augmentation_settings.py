"""`Augmentation`: the settings of random crops, flips and rotations, without importing torch."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Augmentation:
    """Settings of the random transforms of training images.

    Attributes:
        pad: Number of black pixels added on every side before a crop of the original size; 0 for none.
        flip: Whether half of the images, drawn at random, are mirrored left to right.
        rotation_degrees: Largest rotation angle in either direction, in degrees; 0 for none.
    """

    pad: int = 0
    flip: bool = False
    rotation_degrees: float = 0.0
