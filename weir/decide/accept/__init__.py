"""A contract against the records of a study: pass, fail or not proven, line by line."""
