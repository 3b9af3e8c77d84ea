"""Reading and writing of files: certified codes, and points in formats of other programs."""
