"""A benchmark over months: what is normal, when it changed, and whether the newest value is normal."""
