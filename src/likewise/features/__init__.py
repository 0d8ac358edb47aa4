"""From documents to matrices."""
