"""What is known of (K, n): codes that searches found, and the table of the best."""
