"""Tables shipped with the package: codes found by search, best known code for each (K, n), best linear codes."""
