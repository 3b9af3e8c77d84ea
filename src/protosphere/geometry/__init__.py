"""Points on the unit sphere: inner products, lattices, simplices."""
