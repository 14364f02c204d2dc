"""Speed and accuracy, as ratios within one run."""
