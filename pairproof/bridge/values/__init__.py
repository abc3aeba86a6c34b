"""Values on their way to R and back: nodes, data frames, JSON, R's own data files."""
