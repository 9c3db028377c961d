"""Find the best setting: measure few of many cells, then the winner again beside the default."""
