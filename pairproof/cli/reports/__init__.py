"""What the commands write into files for people to read."""
