"""Bradley-Terry models with a design per contest: player and contest covariates, links, offsets, weights."""
