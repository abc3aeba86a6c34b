"""Functions of R's prefmod in Python: llbt.fit, llbtPC.fit, patt*.fit, pattnpml.fit, the designs, and worths of fits."""

from . import llbtpc as llbtpc, patterns as patterns, worths as worths
