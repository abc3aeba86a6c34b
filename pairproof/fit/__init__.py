"""What a fitted model says: the record of its numbers, the verbs on it, its text, JSON and pictures; no
engine.
"""
