"""Measurements for the atlas page."""
