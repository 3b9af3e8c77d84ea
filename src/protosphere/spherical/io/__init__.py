"""Read and write files with points.

Code files contain a certified code. Files of other programs contain only points.
"""
