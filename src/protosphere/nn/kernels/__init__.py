"""Kernels that compute dot products with all prototypes.

Some codes have compiled loops for CPUs. For all other codes and devices, tensor operations are used.
"""
