"""Points at 60 degrees, more of them than lattices have: the largest kissing configurations known."""
