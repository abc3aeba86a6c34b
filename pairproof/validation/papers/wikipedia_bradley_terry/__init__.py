"""The worked example of the encyclopaedia's page."""
