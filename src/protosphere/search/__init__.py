"""Points found by descent: the objectives, and the solvers that follow them."""
