"""Models of scalar annotation held against R: location, scale and precision of annotators, systems, quality."""
