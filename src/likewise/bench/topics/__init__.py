"""Topics: labels that documents have or have not, and which topics are worth a task."""
