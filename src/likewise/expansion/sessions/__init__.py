"""Sessions: the files in which seeds, marks and expansions of one search are kept."""
