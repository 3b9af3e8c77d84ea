"""Numerical search for codes with a low maximum cosine: objectives, descents and the choice of their starts."""
