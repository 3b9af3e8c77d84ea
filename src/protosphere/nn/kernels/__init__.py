"""Kernels for products with all prototypes: compiled loops on CPUs, tensor operations elsewhere."""
