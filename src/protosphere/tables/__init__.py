"""Tables that are shipped with the package: codes found by search, the best known codes, and linear codes."""
