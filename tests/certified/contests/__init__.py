"""Certified values of contests: links, covariates, bias reduction, general ties, random effects."""
