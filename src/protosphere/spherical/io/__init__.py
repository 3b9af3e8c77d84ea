"""Read and write files: files of certified codes, and points in formats of other programs."""
