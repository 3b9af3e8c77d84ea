"""Compiled loops: the numba decorators, their cache on disk, and limits on threads."""
