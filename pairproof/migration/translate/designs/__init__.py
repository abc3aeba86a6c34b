"""glm, gnm and polr: in Python where their design is one of paired comparisons, else by R, or left out."""
