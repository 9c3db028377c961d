"""How the run ended, whatever numbers it printed before."""

from __future__ import annotations

from weir.audit.registry import INVALID, Said, rule
from weir.audit.subject import Subject


@rule(INVALID, needs_output=True)
def exit_code(subject: Subject) -> Said | None:
    """The program ended with a non-zero exit code, or could not be started. Benchmarks print plausible rows
    before they fail, and which of the rows the failure touches cannot be told from the code alone.

    Mend: read stderr beside run.json, mend the cause, and run the cell again.
    """
    run = subject.run
    if run is None or run.timed_out or run.exit_code == 0:
        return None
    how = "could not be started" if run.exit_code is None else f"ended with exit code {run.exit_code}"
    return Said(INVALID, f"the program {how}" + (f": {run.error}" if run.error else ""))


@rule(INVALID, needs_output=True)
def timed_out(subject: Subject) -> Said | None:
    """The run was ended at its time limit, so the phases that it had begun are unfinished.

    Mend: raise the time limit of the experiment, set a stonewall, or move fewer bytes.
    """
    if subject.run is None or not subject.run.timed_out:
        return None
    return Said(INVALID, f"ended at the limit of {subject.run.timeout_s:g} s")


@rule(INVALID)
def result_missing(subject: Subject) -> Said | None:
    """The access was asked for and no result was printed for it. The record stands for it, so that
    nothing is lost in silence.

    Mend: read the other reasons of the record; they say why the run gave no result.
    """
    if subject.has_result:
        return None
    return Said(INVALID, f"no result of {subject.row.get('access')} in the output")


@rule(INVALID, needs_output=True)
def tool_error(subject: Subject) -> Said | None:
    """The program reported an error. Its exit code is not asked: several benchmarks report an error, print a
    bandwidth and exit with 0.

    Mend: mend what the message names (space, permissions, options), and run the cell again.
    """
    errors = subject.texts("error")
    if not errors:
        return None
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    return Said(INVALID, errors[0] + more)
