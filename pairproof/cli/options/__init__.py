"""Options that several commands share: how a table is read, whether R is asked."""
