"""Runs of methods on tasks, their results as files, and summaries of them."""
