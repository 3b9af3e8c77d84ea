"""Measure codes for the atlas page."""
