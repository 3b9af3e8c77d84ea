"""Prototypes from a vector for each class."""
