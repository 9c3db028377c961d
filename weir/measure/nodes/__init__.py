"""Whether the nodes of an allocation are alike."""
