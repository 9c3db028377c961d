"""Which settings are best: few of many cells are measured, and the winner once more beside the default."""
