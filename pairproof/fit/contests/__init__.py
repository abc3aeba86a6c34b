"""Results of Bradley-Terry models with links, offsets, reduced bias, general ties and random effects."""
