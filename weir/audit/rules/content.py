"""Whether the bytes that came back are those that went out."""

from __future__ import annotations

from weir.audit.registry import DEGRADED, INVALID, Said, rule
from weir.audit.subject import Subject

_REQUESTED = {"write": "verify_write", "read": "verify_read", "update-read": "verify_read"}


@rule(INVALID, needs_output=True)
def data_corrupt(subject: Subject) -> Said | None:
    """Verification found data that is not what was written. A storage that loses or changes data has no
    bandwidth worth printing.

    Hint: find the offset in the output, and report it to whoever runs the storage.
    """
    verify = subject.observed.get("verify") or {}
    if verify.get("errors"):
        return Said(INVALID, f"{verify['errors']} errors{_place(verify.get('first_error'))}")
    told = [text for text in subject.texts("error") if text.startswith("Incorrect data on")]
    return Said(INVALID, told[0]) if told else None


@rule(DEGRADED, needs_output=True)
def not_verified(subject: Subject) -> Said | None:
    """Verification was requested, and the output does not say that any byte was compared.

    Hint: use a version that verifies with these options.
    """
    if "verify" not in subject.observed or not subject.has_result:
        return None
    if not subject.observed.get(_REQUESTED.get(str(subject.row.get("access")), "")):
        return None
    checked = (subject.observed["verify"] or {}).get("checked_bytes") or 0
    moved = subject.number("moved_bytes") or 0
    return Said(DEGRADED, f"compared {checked} of {moved:.0f} bytes") if checked < moved else None


def _place(first: object) -> str:
    if not isinstance(first, dict):
        return ""
    return f", the first by rank {first.get('rank')} in {first.get('path')} at offset {first.get('offset')}"
