"""pairproof beside the R packages and Python peers on the same data: `python -m benchmarks`, see
README.md.
"""
