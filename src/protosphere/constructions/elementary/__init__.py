"""Constructions that need no algebra: simplices, polytopes, circles of latitude."""
