"""The rules, grouped by what they look at. A new rule is a new function with @rule, here or in a new file."""
