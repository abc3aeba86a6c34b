"""Functions of R's prefmod in Python: llbt.fit, llbtPC.fit, patt*.fit, pattnpml.fit, the designs, and
worths of fits.
"""

from . import (
    llbt_fits as llbt_fits,
    pattern_fits as pattern_fits,
    prefmod_in_r as prefmod_in_r,
    prefmod_worths as prefmod_worths,
)
