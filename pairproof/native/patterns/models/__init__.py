"""Models of whole answers as a user fits them: formulas and named parameters in, a fit out."""
