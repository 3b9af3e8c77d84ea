"""Spherical codes: points on the unit sphere together with a certificate.

The package contains the structures that store points, and functions that read and write the files of codes.
"""
