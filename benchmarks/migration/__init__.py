"""`pairproof migrate` beside R alone, on the scripts of the corpus and on a loop of fits."""
