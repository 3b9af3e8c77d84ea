"""Make the table of the best known binary linear codes."""
