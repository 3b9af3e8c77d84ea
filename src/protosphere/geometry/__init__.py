"""Computations with points on the unit sphere: inner products, lattices, simplices."""
