"""Models of contests compared with 50-digit values and R: links, offsets, reduced bias, general ties, random
effects."""
