"""Agresti (2002), baseball."""
