"""Calls of psychotools, PlackettLuce, lme4 and others, and the functions that are not of this field."""
