"""Sources on the network: papers like the seeds, gathered from PubMed or another service."""
