"""Contests as rows of a design: links, offsets, weights, reduced bias, general models of ties."""
