"""Any frame or file to counts that add up, and passes over rows that are too many to hold."""
