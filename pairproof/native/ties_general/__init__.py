"""Davidson's model of ties, generalised: home advantage, the scale and the place of the probability of a tie."""
