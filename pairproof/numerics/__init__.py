"""Numerical methods that know nothing of pairs: Newton, linear systems, truncated normal, chains,
processes.
"""
