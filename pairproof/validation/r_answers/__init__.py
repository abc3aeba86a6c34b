"""R's answers: every R function that has the model of a fit is asked, and its numbers are translated."""
