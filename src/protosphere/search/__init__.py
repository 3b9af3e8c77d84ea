"""Numerical search for codes: objectives and solvers."""
