"""Watching a campaign: its status, its annotators, and when it may stop."""
