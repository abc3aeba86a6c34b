"""The methods of a fit, by what they are about: parameters, items and data, comparisons of items."""
