"""The methods of the benchmark: what they see of a task, how they answer, and baselines."""
