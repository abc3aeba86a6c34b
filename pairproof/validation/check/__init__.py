"""The way of a paper: its claims file is read, every claim is checked, and what does not come out is explained."""
