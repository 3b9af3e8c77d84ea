"""Points on the unit sphere, whatever they come from."""
