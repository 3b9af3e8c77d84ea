"""Tools for the developers of protosphere: not part of the package, run from a checkout."""
