"""`Augmentation`: the settings of random crops, flips and rotations.

The class has a module of its own, because the module `augmentation` imports torch.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Augmentation:
    """Settings of the random transforms of training images.

    Attributes:
        pad: Number of black pixels that are added on every side before a crop of the original size is taken. 0 means no
            crops.
        flip: Whether images are mirrored left to right, each with probability 1/2.
        rotation_degrees: Largest rotation angle in either direction, in degrees. 0 means no rotations.
    """

    pad: int = 0
    flip: bool = False
    rotation_degrees: float = 0.0
