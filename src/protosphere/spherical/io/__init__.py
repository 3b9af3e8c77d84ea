"""Reading and writing certified codes, and points that other programs wrote."""
