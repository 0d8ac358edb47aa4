"""How many documents on topic are left, and when to stop looking; numbers alone, no documents."""
