"""Whether a file is large enough for its bandwidth to be one."""

from weir.audit.registry import Outcome, not_observable, note, passed, rule
from weir.audit.subject import Subject

_LEAST_BYTES = 32 * 1024


@rule("NOTE")
def few_bytes(subject: Subject) -> Outcome | None:
    """So few bytes were moved that the bandwidth is that of a single call.

    Hint: write more of them.
    """
    if subject.cell is None or "stones" not in subject.cell.params:
        return None
    moved = subject.number("moved_bytes")
    if moved is None:
        return not_observable("the bytes moved are unknown")
    saw = f"moved {moved:.0f} bytes"
    return note(saw) if moved < _LEAST_BYTES else passed(saw)
