"""Constructions whose points are found by gradient descent."""
