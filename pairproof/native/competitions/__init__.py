"""Competitions of systems: models of Hopkins and May (2013) and tests of Vilar, Leusch and Ney (2007)."""
