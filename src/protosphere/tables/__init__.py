"""Tables of codes in the package: codes that searches found, the best known codes, and linear codes."""
