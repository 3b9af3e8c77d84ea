"""Compiled loops for CPUs (numba)."""
