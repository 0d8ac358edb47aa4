"""The server: the page and the HTTP API; it parses, calls `likewise.expansion`, and answers."""
