"""R's recorded answers (`answers/`), the calls that key them, and drift between them and a live R."""
