"""HTTP for everything that is asked over the network: NLM's files, NCBI's records, clusters."""
