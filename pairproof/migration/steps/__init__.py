"""What a script does with its fits: R's expressions as Python of pandas and numpy, each value held against R's."""
