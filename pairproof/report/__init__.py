"""Reports: a page made of blocks, written as HTML, Markdown or text by one renderer each.

What a report says is a list of :mod:`pairproof.report.blocks`; how it looks is decided here and nowhere else, and so
is what a name in a file can do to a page or a terminal: nothing.
"""
