"""Settings of augmentation, as a record that does not import torch."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Augmentation:
    """Random transforms of an image.

    Attributes:
        pad: Number of black pixels added on every side before a crop of the original size; 0 for none.
        flip: Whether half of the images are mirrored left to right.
        rotation_degrees: Largest rotation angle in either direction; 0 for none.
    """

    pad: int = 0
    flip: bool = False
    rotation_degrees: float = 0.0
