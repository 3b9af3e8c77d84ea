"""The atlas page: everything known of (K, n) in one HTML file that needs no server and no network."""
