"""The way of a paper: its claims file is read, every claim is checked, and what is not reproduced is explained."""
