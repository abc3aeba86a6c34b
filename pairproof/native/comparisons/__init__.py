"""Models of paired comparisons: log-linear Bradley-Terry and Bradley-Terry models in all their forms."""
