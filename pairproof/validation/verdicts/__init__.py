"""Whether two numbers agree: agreements, digits, floors, arithmetic of printed numbers, 50-digit values."""
