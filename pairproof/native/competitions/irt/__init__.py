"""The item-response models of Hopkins and May (2013) and their samplers."""
