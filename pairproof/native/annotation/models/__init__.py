"""Models of scores: annotators' location, scale and precision, and systems, by mixed models."""
