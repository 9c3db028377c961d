"""How the run ended, whatever numbers it printed before."""

from __future__ import annotations

from weir.audit.registry import DEGRADED, INVALID, Said, rule
from weir.audit.subject import Subject

_OWN_RULES = ("mca_", "Incorrect data on")
_VAGUE = ("Exit code:", "MPI_ABORT was invoked")  # what launchers add to an error that was told before


@rule(INVALID, needs_output=True)
def exit_code(subject: Subject) -> Said | None:
    """The program ended with a non-zero exit code, or could not be started. Benchmarks print plausible rows
    before they fail, and which of the rows the failure touches cannot be told from the code alone.

    Hint: read stderr beside run.json, hint the cause, and run the cell again.
    """
    run = subject.run
    if run is None or run.timed_out or run.exit_code == 0:
        return None
    how = "could not be started" if run.exit_code is None else f"ended with exit code {run.exit_code}"
    return Said(INVALID, f"the program {how}" + (f": {run.error}" if run.error else ""))


@rule(INVALID, needs_output=True)
def timed_out(subject: Subject) -> Said | None:
    """The run was ended at its time limit, so the phases that it had begun are unfinished.

    Hint: raise the time limit of the experiment, set a stonewall, or move fewer bytes.
    """
    if subject.run is None or not subject.run.timed_out:
        return None
    return Said(INVALID, f"ended at the limit of {subject.run.timeout_s:g} s")


@rule(INVALID)
def result_missing(subject: Subject) -> Said | None:
    """The access was requested and no result was printed for it. The record stands for it, so that nothing
    is lost in silence.

    Hint: read the other reasons of the record; they say why the run gave no result.
    """
    if subject.has_result:
        return None
    return Said(INVALID, f"no result of {subject.row.get('access')} in the output")


@rule(INVALID, DEGRADED, needs_output=True)
def output_incomplete(subject: Subject) -> Said | None:
    """The output has no end: the program was killed or crashed, or its output was cut. Where results are
    missing too, those that are there belong to a run that failed; where all of them are there, only the
    proof of a good end is missing (IO500 keeps the output of its phases without it).

    Hint: run the cell again with a higher time limit; for a log made by others, look for the rest of it.
    """
    if subject.complete or not subject.has_result:
        return None
    if subject.observed.get("all_results"):
        return Said(DEGRADED, "all results are there, the last line of the output is not")
    return Said(INVALID, "the output ends before its results do")


@rule(INVALID, needs_output=True)
def tool_error(subject: Subject) -> Said | None:
    """The program, its MPI library or the launcher reported an error. The exit code is not requested: several
    benchmarks report an error, print a bandwidth and exit with 0.

    Hint: hint what the message names (space, permissions, options), and run the cell again.
    """
    errors = [text for text in subject.texts("error") if not text.startswith(_OWN_RULES)]
    errors.sort(key=lambda text: text.startswith(_VAGUE))
    if not errors:
        return None
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    return Said(INVALID, errors[0] + more)


@rule(INVALID, needs_output=True)
def mpiio_error_swallowed(subject: Subject) -> Said | None:
    """Open MPI's own MPI-IO (ompio) printed an error of the file system and did not pass it on: the
    benchmark counted bytes that were never stored, and ended with a plausible bandwidth and exit code 0.

    Hint: make space on the target; with --mca io romio321 the error reaches the program.
    """
    errors = [text for text in subject.texts("error") if text.startswith("mca_")]
    return Said(INVALID, errors[0]) if errors else None


@rule(DEGRADED, needs_output=True)
def transfers_retried(subject: Subject) -> Said | None:
    """The storage took or gave fewer bytes than a call requested, and the program tried again. The bytes
    are whole in the end; the bandwidth is that of a storage that was full or failing.

    Hint: look for a full or failing target (dmesg, quota), and run the cell again.
    """
    partial = [text for text in subject.texts("warning") if "partial " in text.lower()]
    return Said(DEGRADED, partial[0]) if partial and subject.has_result else None
