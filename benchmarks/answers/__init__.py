"""Models of whole answers beside R's prefmod and PlackettLuce; see `__main__.py`."""
