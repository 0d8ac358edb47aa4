"""Tasks: how they are made, what they hold, and how they are stored."""
