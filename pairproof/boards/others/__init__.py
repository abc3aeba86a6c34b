"""What other programs and shared tasks print of the same votes."""
