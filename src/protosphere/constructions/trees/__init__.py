"""Constructions for the classes of a tree."""
