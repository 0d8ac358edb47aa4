"""HTTP, as likewise speaks it: pools, proxies, retries, pace, and what went wrong in one line."""
