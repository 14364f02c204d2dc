"""Benchmarks of speed and accuracy, as ratios within one run."""
