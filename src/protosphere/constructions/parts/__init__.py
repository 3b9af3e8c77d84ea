"""Prototypes of classes that are made of parts."""
