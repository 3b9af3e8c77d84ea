"""Classifying rendered characters: 11,172 Hangul syllables or 20,902 Han characters in fonts never seen in training.

`python -m benchmarks.glyphs render` draws the characters in the fonts of folders, `train` trains one network with each
last layer, `report` writes the tables and the figure of the page, and `time` measures steps and memory.
"""
