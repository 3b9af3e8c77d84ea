"""Spherical codes: points on the unit sphere together with a certificate.

The package contains the structures that store points, and the files of codes.
"""
