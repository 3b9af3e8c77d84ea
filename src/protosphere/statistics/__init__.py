"""Means with confidence intervals, and linear regression."""
