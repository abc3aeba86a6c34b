"""The database file of a campaign: its schema, its rows, and transactions."""
