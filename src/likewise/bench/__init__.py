"""Measuring methods against the truth, which no other package is given."""
