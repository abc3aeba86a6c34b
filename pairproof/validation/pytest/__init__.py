"""The pytest plugin: claims files as tests, locked numbers, recorded R."""
