"""Sakaguchi and Van Durme (2018), scalar annotation (EASL), two claims files."""
