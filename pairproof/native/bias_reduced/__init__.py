"""Bradley-Terry estimates with reduced bias, which are finite where contests are separated."""
