"""Known ways in which a right analysis comes to print a wrong number, and a search through them."""
