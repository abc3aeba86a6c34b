"""A board from votes: ratings, ranks, an audit, the numbers of other boards."""
