"""Published IO500 results: phases, scores, validity, and percentiles among the submissions."""
