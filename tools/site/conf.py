"""Sphinx: Markdown pages by MyST, docstrings by numpydoc, the theme furo (search, light and dark, phones)."""

import re

import pairproof

project = "pairproof"
author = "The pairproof maintainers"
version = release = pairproof.__version__
project_copyright = author

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc"]
exclude_patterns = ["records", "figures/*.md"]
html_theme = "furo"
html_title = f"pairproof {release}"
html_static_path = ["_static"]
html_css_files = ["tables.css"]
html_show_sphinx = False
html_copy_source = False

myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
suppress_warnings = (
    ["myst.xref_missing"] if re.match(r"0\.1[0-8]\.", __import__("myst_parser").__version__) else []
)

autosummary_generate = True
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # numpydoc sections state the types
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
# Fences that the pages' runner knows beside languages: `python raises`, `csv NAME`.
highlight_language = "text"
