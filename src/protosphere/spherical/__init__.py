"""Spherical codes: the points, the structure they are stored in, their certificate and their file."""
