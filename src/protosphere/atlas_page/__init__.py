"""The atlas page: one HTML file with the best known codes and bounds for each (K, n), without a server."""
