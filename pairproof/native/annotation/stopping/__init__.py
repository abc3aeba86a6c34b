"""When a campaign may stop although one looks all the time."""
