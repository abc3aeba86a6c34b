"""glm, gnm, polr, glmer, brglm and eba: in Python where a design is one of paired comparisons, else by R, or left out."""
