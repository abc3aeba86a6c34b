"""Simulations behind the page on coverage: tables drawn from a known truth, analysed by the package's own verbs."""
