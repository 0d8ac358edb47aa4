"""What is asked and answered over HTTP; the schema, and docs/http.md, are made of it."""
