"""Prototypes for classes that are described by the values of several parts, such as make, model and color."""
