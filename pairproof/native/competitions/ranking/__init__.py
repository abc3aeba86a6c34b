"""Which of two systems is better, and rankings without a model: tests, error rates, linear ordering, merge
insertion.
"""
