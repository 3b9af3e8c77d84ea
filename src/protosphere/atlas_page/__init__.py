"""The atlas page: the best known codes and bounds for each (K, n) in one HTML file without server or network."""
