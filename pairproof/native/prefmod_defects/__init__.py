"""prefmod's defects, each a named option, for whoever must reproduce a number that was printed with prefmod."""
