"""The reproduction of the paper: its experiments, its claims, and what our runs say of each of them.

It is no part of the package `protosphere`: run it from a clone by `python -m reproduction`.
"""
