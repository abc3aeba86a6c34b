"""Functions of R's prefmod in Python: llbt.fit, llbtPC.fit, patt*.fit, pattnpml.fit, the designs, and worths of fits."""
