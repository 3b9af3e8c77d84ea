"""File storage: atomic writes, locks, CSV tables, and safe reading of .npz archives."""
