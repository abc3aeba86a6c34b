"""prefmod's defects side by side: its number, pairproof's reproduction, and the number without the defect."""
