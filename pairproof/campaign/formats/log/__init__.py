"""The log: a whole campaign as JSON Lines, from which it can be made again."""
