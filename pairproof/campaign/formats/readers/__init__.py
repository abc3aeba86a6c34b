"""Results files of other tools, turned into the rows that `easl update` adds."""
