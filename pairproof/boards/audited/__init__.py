"""What is wrong with the votes of a board, and what its first places rest on."""
