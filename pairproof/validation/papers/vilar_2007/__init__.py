"""Vilar, Leusch, Ney and Banchs (2007), human evaluation by binary comparisons."""
