"""Tasks in other formats: that of the paper's authors, BEIR's and TREC's."""
