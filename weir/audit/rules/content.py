"""Whether the bytes that came back are those that went out."""

from weir.audit.registry import Outcome, degraded, invalid, not_observable, note, passed, rule
from weir.audit.subject import Subject
from weir.base.units import about_size, sizes

_BY_OTHERS = 0.1  # share of the looks: another rank may have written meanwhile
_REQUESTED = {"write": "verify_write", "read": "verify_read", "update-read": "verify_read"}


@rule("INVALID", needs_output=True)
def data_corrupt(subject: Subject) -> Outcome | None:
    """Verification found data that is not what was written.

    Hint: report the offset in the output to whoever runs the storage.
    """
    verify = subject.observed.get("verify") or {}
    if verify.get("errors"):
        return invalid(f"{verify['errors']} errors{_place(verify.get('first_error'))}")
    found = [text for text in subject.texts("error") if text.startswith("Incorrect data on")]
    if found:
        return invalid(found[0])
    if verify.get("checked_bytes"):
        return passed(f"compared {about_size(verify['checked_bytes'])}")
    return not_observable("no byte was compared")


@rule("DEGRADED", needs_output=True)
def not_verified(subject: Subject) -> Outcome | None:
    """Verification was requested, and the output does not show that all bytes were compared.

    Hint: use a version that verifies with these options, and look for a script that drops them.
    """
    name = _REQUESTED.get(str(subject.row.get("access")), "")
    in_force = subject.observed.get(name)
    requested = in_force or (subject.cell is not None and subject.cell.params.get(name))
    if not requested or not subject.has_result:
        return None
    if in_force is False:
        return degraded("the program ran without it")
    if "verify" not in subject.observed:
        return not_observable("the program does not count what it compares")
    checked = (subject.observed["verify"] or {}).get("checked_bytes") or 0
    moved = subject.number("moved_bytes") or 0
    text = "compared {} of {}".format(*sizes(checked, moved))
    return degraded(text) if checked < moved else passed(text)


@rule("INVALID", needs_output=True)
def contents_differ(subject: Subject) -> Outcome | None:
    """The files are in memory, and more than a tenth of the compared transfers have not what the program
    wrote or got: something leads calls to another file (/dev/null, /dev/zero). Up to 64 bytes of some
    transfers are compared, right after the call.

    Hint: look for LD_PRELOAD and LD_AUDIT, for a sandbox, and for a device node in place of the file (`stat
    FILE`).
    """
    # A tenth may be bytes of another rank; zeros prove nothing.
    if not (subject.is_write or subject.is_read) or subject.stores_nothing:
        return None
    seen = subject.observed.get("contents")
    if not seen:
        return not_observable("nobody compared the data with the files")
    text = f"the files have other bytes than {seen['differing']} of {seen['looked']} transfers"
    return invalid(text) if seen["differing"] > _BY_OTHERS * seen["looked"] else passed(text)


@rule("NOTE", needs_output=True)
def holes_denied(subject: Subject) -> Outcome | None:
    """The file system reported holes in the files (lseek with SEEK_HOLE), and a read of them gave data:
    programs that copy by holes (cp, rsync --sparse, backup) lose data.

    Hint: report it to whoever runs the storage, with `filefrag -v FILE` and the versions.
    """
    if not (subject.is_write or subject.is_read) or subject.stores_nothing:
        return None
    denied = subject.observed.get("denied_holes")
    return note(f"{denied} reported holes in which there is data") if denied else None


def _place(first: object) -> str:
    if not isinstance(first, dict):
        return ""
    return f", the first by rank {first.get('rank')} in {first.get('path')} at offset {first.get('offset')}"
