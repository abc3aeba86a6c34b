"""Scalar annotation: beta and TrueSkill states, methods, matching, allocation, simulated annotators."""
