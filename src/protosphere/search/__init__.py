"""Numerical search for codes of K points in R^n with a low maximum cosine.

A descent moves K initial points so that their maximum cosine decreases. A search makes many descents, and improves the
best codes that they find. The modules contain the functions that descents minimize, the descents, the choice of initial
points, and the search itself.
"""
