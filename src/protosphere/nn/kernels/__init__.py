"""Kernels for dot products with all prototypes: compiled loops for some codes on CPUs, tensor operations otherwise."""
