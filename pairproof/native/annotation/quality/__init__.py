"""How well annotators agree with each other, with themselves and with what is known."""
