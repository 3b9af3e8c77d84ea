"""Constructions from frames (sets of vectors that span R^n), such as the unit vectors on equiangular lines."""
