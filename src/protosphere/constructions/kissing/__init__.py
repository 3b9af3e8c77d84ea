"""The largest known kissing configurations: more points at angles of at least 60 degrees than lattices have."""
