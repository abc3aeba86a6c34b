"""Bradley-Terry models of contests: abilities and contest effects by formula, beyond free abilities."""
