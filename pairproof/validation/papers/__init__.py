"""Papers, a folder each: claims, statements, computations, and the story its report tells."""
