"""Standard errors that hold where answers of one judge, or about one source, go together."""
