"""Scripts as analysts write them, and what R prints of each, expression by expression (`printed.R`)."""
