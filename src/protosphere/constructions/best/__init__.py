"""The scheme 'best': candidates for the best known code of K points in R^n, the choice among them, and the search."""
