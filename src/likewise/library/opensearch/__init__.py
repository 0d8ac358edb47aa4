"""Libraries on a cluster: OpenSearch, and Elasticsearch in what the two have in common."""
