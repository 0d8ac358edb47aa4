"""What is fetched over the network: PubMed's files, and single records of it."""
