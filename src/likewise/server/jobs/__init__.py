"""Jobs: expansions that are asked for over HTTP, each in a process of its own."""
