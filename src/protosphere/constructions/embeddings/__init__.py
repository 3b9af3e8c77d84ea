"""Build prototypes from an embedding vector of each class."""
