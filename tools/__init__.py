"""Tools for the developers of protosphere. They are not part of the package, and run from a clone of the repository."""
