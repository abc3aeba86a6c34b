"""Files of a campaign: exports, and the files of other tools."""
