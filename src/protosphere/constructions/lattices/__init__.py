"""Codes from lattices: shells, sections of shells, and root systems.

A shell has all vectors of a lattice at one distance from a center. A section has those vectors of a shell that have
given inner products with a few fixed vectors.
"""
