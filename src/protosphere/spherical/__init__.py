"""The code itself: points on the sphere, what they are made of, their certificate and their file."""
