"""Constructions for classes that are the leaves of a tree."""
