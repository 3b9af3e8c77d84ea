"""Spherical codes: points on the unit sphere with a certificate, how they are stored, and their files."""
