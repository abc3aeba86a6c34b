"""Models of scalar annotation compared with R: location, scale and precision of annotators, systems,
quality."""
