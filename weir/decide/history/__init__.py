"""A benchmark over months: what is normal, when it changed, and whether the newest value is normal."""

RECENT_POINTS = 14  # are held against those before
