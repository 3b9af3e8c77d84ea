"""`ViewSettings`: the ranges of random transforms in self-supervised learning, without importing torch."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ViewSettings:
    """Ranges of the random transforms that make a view of an image.

    Attributes:
        crop_area: Smallest fraction of the image's area that a crop covers; 1 for no crops.
        flip: Whether half of the views, drawn at random, are mirrored left to right.
        jitter: Largest relative change of brightness, contrast and saturation; 0 for no change. The hue is rotated by
            at most a quarter of this number, in turns of the color circle.
        grayscale: Fraction of the views that are converted to gray.
    """

    crop_area: float = 0.2
    flip: bool = False
    jitter: float = 0.4
    grayscale: float = 0.2
