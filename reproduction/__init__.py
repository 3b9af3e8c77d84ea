"""The reproduction of the paper: its experiments, its claims, and the results of our runs on each claim.

This folder is not part of the package `protosphere`: run it from a clone by `python -m reproduction`.
"""
