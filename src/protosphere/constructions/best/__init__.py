"""The best known code for (K, n): candidates, the choice among them, and the search."""
