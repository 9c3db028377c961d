"""Published IO500 results: phases, scores, validity, and where they stand among the submissions."""
