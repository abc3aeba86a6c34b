"""Many comparisons of items at once: simultaneous intervals, adjusted p-values, letters, ranks."""
