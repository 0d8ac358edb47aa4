"""Learning from seeds and a pool: scores, the prior, the threshold, probabilities."""
