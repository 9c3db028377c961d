"""Rules about records of IOR, from its warnings about files and options."""

from collections.abc import Sequence

from weir.audit.registry import Outcome, degraded, not_observable, passed, rule
from weir.audit.subject import Subject
from weir.base.units import about_size


@rule("DEGRADED", needs_output=True)
def option_dropped(subject: Subject) -> Outcome | None:
    """IOR set an option to another value than was requested, and printed a warning about it.

    Hint: request only what the interface can do.
    """
    warnings = _warnings(subject, "Using value of")
    others = [text for text in warnings or () if not text.startswith("fsync() ")]
    return _judged(subject, None if warnings is None else others, "no option was dropped")


@rule("DEGRADED", needs_output=True)
def file_sizes_differ(subject: Subject) -> Outcome | None:
    """Several ranks reported different sizes of the file to IOR: some clients did not see all of the data
    yet, because the close or the synchronisation did not make it visible.

    Hint: synchronise the write (sync: true), and look at the attribute cache of the file system (NFS: noac).

    Of a log: synchronise the write (IOR -e), and look at the attribute cache of the file system
    (NFS: noac).
    """
    return _judged(subject, _warnings(subject, "inconsistent file size"), "all ranks saw the same size")


@rule("DEGRADED", needs_output=True)
def file_overwritten(subject: Subject) -> Outcome | None:
    """The file existed before and was overwritten: allocated space is faster on some storage and slower on
    other.

    Hint: remove the files before the write (IOR -u, without -k), or overwrite on purpose.
    """
    # After a crash old and new bytes cannot be distinguished.
    if subject.row.get("access") != "write":
        return None
    existing = subject.observed.get("existing_bytes")
    if existing and subject.has_result:
        return degraded(f"the files had {about_size(existing)} before the write")
    return _judged(subject, _warnings(subject, "exists already and will be overwritten"), "the file was new")


def _warnings(subject: Subject, text: str) -> Sequence[str] | None:
    """Warnings of the original program that hold the text; None for records without a file."""
    if subject.row.get("program") != "IOR" or subject.is_metadata or not subject.has_result:
        return None
    return [warning for warning in subject.texts("warning") if text in warning]


def _judged(subject: Subject, found: Sequence[str] | None, otherwise: str) -> Outcome | None:
    if found is None:
        return None
    if found:
        return degraded(found[0])
    return passed(otherwise) if subject.from_output else not_observable("a table keeps no output")
