"""What may happen to an image, as a record that needs no torch."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Augmentation:
    """What may happen to an image.

    Attributes:
        pad: black pixels added on every side before a crop of the original size; 0 for none.
        flip: whether half of the images are mirrored left to right.
        rotation_degrees: the largest angle of rotation either way; 0 for none.
    """

    pad: int = 0
    flip: bool = False
    rotation_degrees: float = 0.0
