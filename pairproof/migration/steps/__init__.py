"""What a script does with its fits: R's expressions as Python of pandas and numpy, each value compared with R's."""
