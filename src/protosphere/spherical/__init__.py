"""Spherical codes: points on the unit sphere with a certificate, the structures that store them, and their files."""
