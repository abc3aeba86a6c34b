"""Results of models of whole answers: of all comparisons of a person, of rankings, of ratings."""
