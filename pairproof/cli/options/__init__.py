"""Options that several commands share: how a table is read, and whether R is run."""
