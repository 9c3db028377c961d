"""What a program reports against the calls that left it."""

from __future__ import annotations

from weir.audit.outcome import Outcome, invalid, not_observable, passed
from weir.audit.registry import rule
from weir.audit.subject import Subject


@rule("INVALID", needs_output=True)
def bytes_not_in_calls(subject: Subject) -> Outcome | None:
    """The program reports more bytes than its read or write calls moved, as libweir-witness counted them
    behind every other library: some calls never reached the operating system.

    Hint: look for LD_PRELOAD (column notes, witness.json beside run.json) and for a program that was changed.
    """
    if not (subject.is_write or subject.is_read) or subject.stores_nothing:
        return None
    called, moved = subject.observed.get("called_bytes"), subject.number("moved_bytes")
    if called is None or not moved:
        return not_observable("no witness counted the calls of the program")
    needed = subject.of_files(moved)
    text = f"reported {moved:.0f} bytes, the calls moved {called}"
    return invalid(text) if called < needed else passed(text)
