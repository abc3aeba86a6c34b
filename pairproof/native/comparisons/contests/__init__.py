"""Bradley-Terry models with a formula of abilities: links, offsets, reduced bias, general ties, random effects."""
