"""Computations with points on the unit sphere: inner products, closest pairs, lattices and simplices."""
