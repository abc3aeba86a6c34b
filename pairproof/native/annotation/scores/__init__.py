"""What judged scores say of items, annotators and systems: mixed models, agreement, and when to stop."""
