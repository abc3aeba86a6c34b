"""A fit as people and programs see it: text for a terminal and a notebook, JSON, pictures."""
