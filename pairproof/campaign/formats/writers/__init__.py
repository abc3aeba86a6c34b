"""Files that other tools present to annotators: Mechanical Turk, Label Studio, and links to hand out."""
