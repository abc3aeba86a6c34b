"""Models of contests held against 50-digit values and R: links, offsets, reduced bias, general ties, random effects."""
