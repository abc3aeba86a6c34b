"""From a recorded R analysis to a Python script whose every number was compared with R."""
