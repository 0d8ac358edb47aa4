"""Runs: methods on tasks, results as files, and what they come to together."""
