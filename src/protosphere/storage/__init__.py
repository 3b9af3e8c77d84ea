"""Files: written atomically, locked, CSV tables, and .npz archives of others."""
