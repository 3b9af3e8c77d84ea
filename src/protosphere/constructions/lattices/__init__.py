"""Constructions from lattices: shells, sections and root systems."""
