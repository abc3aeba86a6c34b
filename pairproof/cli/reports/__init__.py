"""The reports that the commands write for people to read."""
