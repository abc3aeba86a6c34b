"""Certified values for paired-comparison models: 50 digits, made with mpmath alone.  See README.md."""
