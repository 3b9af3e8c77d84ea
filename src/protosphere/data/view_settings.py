"""`ViewSettings`: the ranges of the random transforms in self-supervised learning.

The class has a module of its own, because the module `data.views` imports torch.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class ViewSettings:
    """Ranges of the random transforms that make a view of an image.

    Attributes:
        crop_area: Smallest area that is drawn for a crop, as a fraction of the area of the image. If the crop would be
            wider or higher than the image, it gets the width or the height of the image, and its area becomes smaller
            than the drawn area. With 1, images are not cropped.
        flip: Whether views are mirrored left to right, each with probability 1/2.
        jitter: Largest relative change of brightness, contrast and saturation. The hue is rotated on the color circle
            by at most `jitter` / 4 of a full turn. With probability 0.8, the brightness, contrast, saturation and hue
            of a view are changed. Otherwise, none of them is changed.
        grayscale: Probability that a view is converted to gray.
    """

    crop_area: float = 0.2
    flip: bool = False
    jitter: float = 0.4
    grayscale: float = 0.2
