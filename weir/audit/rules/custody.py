"""Rules about who vouches for a record: the files of its run, which nobody edited or copied, or the author
of a table."""

from weir.audit.registry import Outcome, invalid, not_observable, note, passed, rule
from weir.audit.subject import Subject


@rule("INVALID", needs_output=True)
def output_edited(subject: Subject) -> Outcome | None:
    """A file of the run was edited or deleted after its end: it has not the SHA-256 in run.json, or run.json
    has not the one in rows.json.

    Hint: restore the file from a copy, or delete the run and measure it again.
    """
    if subject.run is None:
        return None
    if subject.run.differing is None:
        return not_observable("run.json has no sums of its files")
    if subject.run.differing:
        return invalid(f"not as when the run ended: {', '.join(subject.run.differing)}")
    return passed("all files have the sums of run.json")


@rule("INVALID", needs_output=True)
def run_replayed(subject: Subject) -> Outcome | None:
    """Two runs of the study have the same output, or two runs of a cell began in the same microsecond: one is
    a copy, and which one is not known. In logs, ten or more times of a result are those of an earlier one to
    all digits, in another setting, day or part of the file.

    Hint: delete the copy, and measure that round again.

    Of a log: name each log once.
    """
    # A log that is there twice is imported once.
    same_as = subject.run.same_as if subject.run else None
    if subject.run is None and subject.observed.get("copy_of"):
        same_as = f"the same times as in {subject.observed['copy_of']}"
    return invalid(f"a copy: {same_as}") if same_as else None


@rule("NOTE", needs_output=True)
def authors_verdict(subject: Subject) -> Outcome | None:
    """The record was imported, or audited, with the verdict of the table's author, who had the output. This
    audit had the table alone, without a sum of it, and proves nothing about it.

    Hint: ask the author for the study (weir bundle), which weir verify and weir collect check.
    """
    if subject.from_output or not subject.row.get("verdict"):
        return None
    return note("the verdict is that of the table's author")
