"""Models of contests in R: links, offsets, reduced bias, general ties and random effects; the witnesses and the scripts of `to_r`."""
