"""From a recorded R analysis to a Python script whose numbers are compared with R's."""
