"""Read and write files: code files, which contain a certified code, and files of other programs with points only."""
