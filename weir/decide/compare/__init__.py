"""Two sets of records side by side: which cells got faster or slower, and how sure that is."""
