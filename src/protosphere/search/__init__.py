"""Numerical search for codes with a low maximum cosine: objectives, descents and the choice of their starts.

The module docstring of `search.bandit` describes the phases of a search and defines its terms.
"""
