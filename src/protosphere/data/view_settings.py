"""Ranges of the random views of self-supervised learning, as a record that does not import torch."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ViewSettings:
    """Ranges of the random transforms that make a view of an image.

    Attributes:
        crop_area: Smallest share of the image that a crop covers; 1 for no crops.
        flip: Whether half of the views are mirrored left to right.
        jitter: Largest relative change of brightness, contrast and saturation; 0 for none.
        grayscale: Share of the views that lose their color.
    """

    crop_area: float = 0.2
    flip: bool = False
    jitter: float = 0.4
    grayscale: float = 0.2
