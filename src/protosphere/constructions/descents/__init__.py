"""Constructions found by descent."""
