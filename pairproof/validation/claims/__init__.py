"""What a page says: claims files, the numbers printed in them, their data and schema."""
