"""A benchmark over months: what is normal, when it changed, and whether the newest value is normal."""

RECENT_POINTS = 14  # a change among them is news
