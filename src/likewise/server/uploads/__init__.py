"""What visitors send, read in processes that can be killed."""
