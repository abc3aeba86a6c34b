"""Proof, number by number, that native, R and the printed page agree, or why they do not.

The way of the data: a claims file -> `check` -> a list of `Agreement` -> a report.  There is no second path to a
number: every report is a view of that list.
"""
