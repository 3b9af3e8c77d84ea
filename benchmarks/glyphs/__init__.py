"""Classification of rendered characters: 11,172 Hangul syllables or 20,902 Han characters.

The fonts of the test images are not used in training. `python -m benchmarks.glyphs` has four commands: `render` draws
the characters in many fonts, `train` trains one network with each last layer, `report` writes the table and the figure
of the page, and `time` measures the time and memory of a training step.
"""
