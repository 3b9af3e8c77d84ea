"""Input and output of certified codes, and of points written by other programs."""
