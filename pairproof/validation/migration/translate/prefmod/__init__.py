"""Functions of R's prefmod in Python: llbt.fit, llbtPC.fit, patt*.fit, pattnpml.fit, the designs, and
worths of fits.
"""

from . import (
    helpers as helpers,
    llbtfit as llbtfit,
    llbtpc as llbtpc,
    npml as npml,
    patterns as patterns,
    worths as worths,
)
