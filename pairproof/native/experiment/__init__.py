"""Which model predicts preferences best: splits, baselines, perplexity, the experiment, its summary and
pictures.
"""
