"""What is read of sessions, in the shapes that HTTP answers with."""
