"""Standard errors by cluster, many comparisons, ranks and limits: pairproof's own specification, compared with
R."""
