"""Kernels for dot products with all prototypes: compiled loops on CPUs, tensor operations elsewhere."""
