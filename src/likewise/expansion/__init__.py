"""From seeds to an expansion: the pool, its scores, the decision, and why."""
