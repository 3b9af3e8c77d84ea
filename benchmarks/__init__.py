"""Benchmarks of time, memory and accuracy. `python -m benchmarks` runs all files of this folder."""
