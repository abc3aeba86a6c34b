"""Planning a comparison: how many judges, sources and answers, and looking while they come in."""
