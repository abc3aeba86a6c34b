"""prefmod's defects, each a named option, to reproduce a number that was printed with prefmod."""
