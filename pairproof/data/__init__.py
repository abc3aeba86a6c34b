"""What was observed: tables of comparisons, their graph, judgments of competitions, and the reading of
files.
"""
