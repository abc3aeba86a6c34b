"""Rankings: Plackett and Luce's choices in stages, and the pattern model of Mallows, Bradley and Terry."""
