"""Numerical search for codes with a low maximum cosine: objectives, descents and the choice of initial points.

The module docstring of `search.bandit` describes the phases of a search and defines its terms.
"""
