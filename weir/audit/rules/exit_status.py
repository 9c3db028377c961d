"""Rules about the end of the run, whatever numbers it printed before."""

import re

from weir.audit.registry import Outcome, degraded, invalid, not_observable, note, passed, rule
from weir.audit.subject import Subject
from weir.tools.complaints import DOUBTFUL, effect_of

_OWN_RULES = ("mca_", "Incorrect data on")
_VAGUE = ("Exit code:", "MPI_ABORT was invoked")  # launchers add them to an error that was printed before
_OPTIONS = ("Error invalid argument", "Invalid options")
_DIRECTORY = re.compile(r"unable to create (tree |test )?directory", re.IGNORECASE)
_NO_OUTPUT = "a table keeps no output"


@rule("INVALID", needs_output=True)
def exit_code(subject: Subject) -> Outcome | None:
    """The program ended with a non-zero exit code, or could not be started.

    Hint: read stderr beside run.json, fix the cause, then measure again.
    """
    # Benchmarks print plausible rows before they fail, and which of them the failure touches is not known.
    run = subject.run
    if run is None:
        return not_observable("the exit code was not kept")
    if run.timed_out:
        return None
    if run.exit_code == 0:
        return passed("exit code 0")
    how = "could not be started" if run.exit_code is None else f"ended with exit code {run.exit_code}"
    return invalid(f"the program {how}" + (f": {run.error}" if run.error else ""))


@rule("INVALID", needs_output=True)
def timed_out(subject: Subject) -> Outcome | None:
    """The run was ended at its time limit: the phases that it had begun are unfinished.

    Hint: raise the time limit, set a stonewall, or move fewer bytes; look whether a server stood still.
    """
    if subject.run is None:
        return None
    limit = f"the limit of {subject.run.timeout_s:g} s"
    if not subject.run.timed_out:
        return passed(f"ended before {limit}")
    mount = subject.mount
    on = f" on {mount['type']} of {mount['device']}" if mount.get("settings") is not None else ""
    return invalid(f"ended at {limit}{on}")


@rule("INVALID")
def result_missing(subject: Subject) -> Outcome | None:
    """The access was requested and no result was printed for it, or one that includes more (io-model times
    the writing of the file, too); this record counts the failure.

    Hint: read the other reasons of the record; measure apart what was timed together with the access.
    """
    if subject.has_result:
        return passed("a result is there")
    access = subject.row.get("access")
    of = "" if access == "unknown" else f" of {access}"
    why = subject.texts("warning") if subject.number("moved_bytes") else []
    return invalid(f"no rate{of} can be told: {why[0]}" if why else f"no result{of} in the output")


@rule("INVALID", "NOTE", needs_output=True)
def output_incomplete(subject: Subject) -> Outcome | None:
    """The output has no end: the program was killed or crashed, or the output was truncated. A missing last
    line alone is a note, because a program within another may print none.

    Hint: look for the rest of the output; where the run met its time limit, measure again with a higher one.
    """
    # Results belong to a run that failed if others are missing.
    if not subject.has_result:
        return None
    if not subject.from_output:
        return not_observable(_NO_OUTPUT)
    if subject.complete:
        return passed("the output has its end")
    if not subject.observed.get("all_results"):
        return invalid("the output ends before its results do")
    if subject.observed.get("embedded"):
        return passed("all results are there; a program started by another one prints no last line")
    return note("all results are there, the last line of the output is not")


@rule("INVALID", needs_output=True)
def tool_error(subject: Subject) -> Outcome | None:
    """The program, its MPI library or the launcher reported an error, whatever the exit code: several
    benchmarks go on to a bandwidth and exit with 0.

    Hint: fix what the message names (space, permissions, options), then measure again.
    """
    # In a log, options that one of two readers refused (IOR's back ends) are a note where the program went on
    # to its end.
    errors = [text for text in subject.texts("error") if not text.startswith(_OWN_RULES)]
    errors = [text for text in errors if text not in _options_refused(subject)]
    errors.sort(key=lambda text: text.startswith(_VAGUE))
    if errors:
        more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        return invalid(errors[0] + more)
    return passed("no line of the output is an error") if subject.from_output else not_observable(_NO_OUTPUT)


@rule("DEGRADED", "NOTE", needs_output=True)
def warning_printed(subject: Subject) -> Outcome | None:
    """The program printed a warning that no other rule judges. It is DEGRADED where it doubts something
    around the timed operations, by the table in weir/tools/complaints.py; a warning that is not listed is a
    note with its text.

    Hint: read the warning, and measure without its cause if the number depends on it.
    """
    if not subject.has_result:
        return None
    warned = subject.texts("warning")
    doubtful = [
        text for text in warned if effect_of(text) == DOUBTFUL and not _is_there_already(text, subject)
    ]
    unknown = [text for text in warned if effect_of(text) is None] + _options_refused(subject)
    if doubtful:
        return degraded(", ".join(doubtful))
    if unknown:
        return note(", ".join(unknown))
    return None


def _options_refused(subject: Subject) -> list[str]:
    """Errors about options in the log of a program that finished all the same."""
    if subject.run is not None or not (subject.has_result and subject.complete):
        return []
    return [text for text in subject.texts("error") if text.startswith(_OPTIONS)]


def _is_there_already(text: str, subject: Subject) -> bool:
    """The directories of what is looked at, read or removed were made before."""
    return subject.is_metadata and subject.row.get("access") != "create" and bool(_DIRECTORY.search(text))


@rule("INVALID", needs_output=True)
def mpiio_error_swallowed(subject: Subject) -> Outcome | None:
    """Open MPI's own MPI-IO (ompio) printed an error of the file system and did not pass it on: the benchmark
    counted bytes that were never stored, and exited with 0.

    Hint: make space on the target; with --mca io romio321 (Open MPI 5: romio341) a program gets the error.
    """
    errors = [text for text in subject.texts("error") if text.startswith("mca_")]
    if errors:
        return invalid(errors[0])
    if subject.row.get("api") == "POSIX":
        return None
    return passed("no error of ompio") if subject.from_output else not_observable(_NO_OUTPUT)


@rule("DEGRADED", "NOTE", needs_output=True)
def transfers_retried(subject: Subject) -> Outcome | None:
    """The storage took or gave fewer bytes than a call requested, and the program tried again: all bytes are
    there, at the rate of a full or failing storage. Of a read it is a note, because a file system may give
    less.

    Hint: look for a full or failing target (dmesg, quota), then measure again; of a read, request no more
    than the file system gives in one call.
    """
    if not subject.has_result:
        return None
    partial = [text for text in subject.texts("warning") if "partial " in text.lower()]
    retries = subject.observed.get("retries")
    if partial:
        return note(partial[0]) if subject.is_read else degraded(partial[0])
    if retries:
        return degraded(f"{retries} transfers were repeated")
    if retries == 0:
        return passed("no transfer was repeated")
    return passed("no warning about partial transfers") if subject.from_output else not_observable(_NO_OUTPUT)
