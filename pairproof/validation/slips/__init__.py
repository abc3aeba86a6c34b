"""Ways a right analysis prints a wrong number, and the search through them."""
