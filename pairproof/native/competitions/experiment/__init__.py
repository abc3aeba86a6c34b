"""Which model predicts preferences best: models, test sets, perplexity, the learning-curve experiment, its summary
and its plots; and how often judges agree.
"""
