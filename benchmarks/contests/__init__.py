"""Bradley-Terry models with covariates, random effects and reduced bias, beside R's packages and statsmodels."""
