"""Measures: how good an answer is, and whether a difference is one."""
