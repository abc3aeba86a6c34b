"""The site: docs/ and the docstrings of the face as HTML, by Sphinx."""
