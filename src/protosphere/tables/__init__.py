"""Shipped tables: codes that searches found, the best known code for each (K, n), and the best linear codes."""
