"""Pattern models of paired comparisons, dependence and missing answers among them."""
