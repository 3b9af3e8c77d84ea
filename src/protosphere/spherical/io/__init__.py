"""Read and write files.

Code files contain a certified code. Files of other programs contain only points.
"""
