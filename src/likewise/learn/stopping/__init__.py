"""How many documents on topic are left, and when to stop; works on numbers, not on documents."""
