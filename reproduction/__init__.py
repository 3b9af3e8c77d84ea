"""The reproduction of Lindström et al. (2024): the experiments of this paper, its claims, and tests of the claims.

This folder is not part of the package `protosphere`. Run it from a clone of the repository by `python -m reproduction`.
"""
