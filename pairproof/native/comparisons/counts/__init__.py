"""Log-linear Bradley-Terry and Bradley-Terry models: design, likelihood with ties, solution, existence,
naming.
"""
