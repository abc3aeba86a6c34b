"""Firth (2005), the BradleyTerry package."""
