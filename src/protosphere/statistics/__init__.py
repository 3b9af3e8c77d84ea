"""Means with confidence intervals, and straight-line fits."""
