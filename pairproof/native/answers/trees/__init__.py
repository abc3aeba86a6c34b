"""Trees of groups of persons whose preferences differ: model-based recursive partitioning."""
