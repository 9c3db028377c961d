"""Known behaviour of IOR that its output or a table of results does not show."""

from __future__ import annotations

from weir.terms.model import Row
from weir.tools.base import Habits


def habits_of(row: Row) -> Habits:
    """Nothing for weir-io, which counts and reports all of it."""
    if row.get("program") != "IOR":
        return Habits()
    return Habits(
        sync_dropped=_sync_dropped(str(row.get("tool_version") or ""), row.get("api")),
        ranks_draw_apart=True,
        size_of_one_file=True,
        size_may_lag=True,
        times_opens_and_closes=True,
    )


def _sync_dropped(version: str, api: str | None) -> str | None:
    """Tables of results have no warnings; version and interface show the behaviour."""
    if version.startswith(("2.", "3.0")) and api != "POSIX":
        return f"IOR {version} synchronises with POSIX only, this ran on {api}"
    if version.startswith("4.") and api == "IME":
        return f"IOR {version} does not synchronise with IME"
    return None
