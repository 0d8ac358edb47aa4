"""Tasks in the formats of others: the paper's authors', BEIR's and TREC's."""
