"""Reports of agreements: a page of blocks, a terminal's screen, text, JSON and JUnit."""
