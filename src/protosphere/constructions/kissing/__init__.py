"""The largest known kissing configurations, that is, sets of points on a sphere at angles of at least 60 degrees.

These configurations have more points than the minimal vectors of lattices of the same dimension.
"""
