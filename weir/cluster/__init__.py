"""The nodes and allocations of a plan: what is requested for a batch, whether nodes are alike."""
