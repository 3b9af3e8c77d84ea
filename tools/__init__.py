"""Tools of those who make protosphere: not part of the package, run from a checkout."""
