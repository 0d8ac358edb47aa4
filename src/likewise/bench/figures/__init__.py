"""Figures of tasks and results, each a function from what was measured to a chart."""
