"""Constructions from equiangular lines and other frames."""
