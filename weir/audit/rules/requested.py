"""What ran against what the cell requested."""

from __future__ import annotations

from weir.audit.registry import DEGRADED, INVALID, Said, rule
from weir.audit.subject import Subject

# Columns of the record and the parameters of the cell that they must show.
_SHOWN = {
    "api": "api",
    "layout": "layout",
    "order": "order",
    "xfer_bytes": "xfer_bytes",
    "block_bytes": "block_bytes",
    "segments": "segments",
    "stonewall_s": "stonewall",
    "collective": "collective",
    "sync": "sync",
    "direct": "direct",
    "fill": "fill",
    "unlimited": "unlimited",
    "deflate_level": "deflate_level",
    "item": "item",
    "directories": "directories",
}


@rule(INVALID, needs_output=True)
def other_than_requested(subject: Subject) -> Said | None:
    """The output says that something else ran than the cell requested: another interface, other sizes,
    another order, or other options.

    Hint: compare the command in run.json with the cell; the program may not know an option.
    """
    if subject.cell is None or not subject.has_result:
        return None
    params, row = subject.cell.params, subject.row
    wrong = [
        f"{column}: requested {params[name]}, ran {row[column]}"
        for column, name in _SHOWN.items()
        if name in params and row.get(column) is not None and row[column] != params[name]
    ]
    return Said(INVALID, ", ".join(wrong)) if wrong else None


@rule(INVALID, needs_output=True)
def other_ranks(subject: Subject) -> Said | None:
    """Other nodes or processes took part than were requested, or they were spread unevenly.

    Hint: look at the launcher's options and the allocation; oversubscribed and missing nodes look like
    this.
    """
    cell, row = subject.cell, subject.row
    if cell is None or not subject.has_result:
        return None
    tasks = subject.observed.get("tasks")
    if tasks is not None and tasks != cell.ranks:
        return Said(INVALID, f"requested {cell.ranks} ranks, {tasks} took part")
    seen, wanted = (row.get("nn"), row.get("ppn")), (cell.nodes, cell.ppn)
    if None not in seen and seen != wanted:
        return Said(INVALID, f"requested {wanted[0]} x {wanted[1]} ranks, {seen[0]} x {seen[1]} took part")
    per_host = subject.observed.get("ranks_per_host")
    if per_host and set(per_host) != {cell.ppn}:
        return Said(INVALID, f"requested {cell.ppn} ranks on each node, had {per_host}")
    return None


@rule(INVALID, needs_output=True)
def direct_not_applied(subject: Subject) -> Said | None:
    """O_DIRECT was requested and the file was not opened with it, so the page cache was measured. IOR takes
    the option for any interface and heeds it for POSIX only, without a word.

    Hint: use POSIX for O_DIRECT, on a file system that has it.
    """
    row = subject.row
    if not row.get("direct") or not subject.has_result:
        return None
    if row.get("api") not in (None, "POSIX"):
        return Said(INVALID, f"{row.get('api')} does not open with O_DIRECT")
    if subject.observed.get("direct") is False:
        flags = " ".join(subject.observed.get("open_flags") or []) or "flags unknown"
        return Said(INVALID, f"opened with {flags}")
    return None


@rule(DEGRADED, needs_output=True)
def hints_not_in_force(subject: Subject) -> Said | None:
    """A hint was passed to the open and the opened file does not have it: the MPI library does not know the
    hint, or has its own opinion.

    Hint: look up the hints of the MPI-IO implementation that runs (ROMIO and ompio differ), or drop the
    hint.
    """
    wanted, in_force = subject.observed.get("hints") or {}, subject.observed.get("hints_in_force")
    if in_force is None or not subject.has_result:
        return None
    wrong = [
        f"{key}: requested {value}, in force {in_force.get(key, 'nothing')}"
        for key, value in wanted.items()
        if in_force.get(key) != value
    ]
    return Said(DEGRADED, ", ".join(wrong)) if wrong else None


@rule(DEGRADED, needs_output=True)
def option_dropped(subject: Subject) -> Said | None:
    """IOR set an option to another value than was requested, and said so in a warning.

    Hint: ask only for what the interface can do, so that the record says what ran.
    """
    texts = [text for text in subject.texts("warning") if "Using value of" in text]
    others = [text for text in texts if not text.startswith("fsync() ")]
    return Said(DEGRADED, others[0]) if others else None


@rule(DEGRADED, needs_output=True)
def stripes_not_applied(subject: Subject) -> Said | None:
    """The cell requested a number of stripes and the file system gave its files another, or does not say.

    Hint: look at what `lfs setstripe` may do there (lfs df, quota, pools), or ask for what it has.
    """
    requested = subject.cell.params.get("stripe_count") if subject.cell else None
    found = subject.row.get("stripe_count")
    if not requested or requested == found or not subject.has_result:
        return None
    return Said(DEGRADED, f"requested {requested} stripes, found {'nothing' if found is None else found}")


@rule(DEGRADED, needs_output=True)
def stripes_differ(subject: Subject) -> Said | None:
    """The files of one access have different stripe counts, so that the ranks do not share the storage
    evenly; the record names the commonest.

    Hint: look for full or inactive storage targets (lfs df), and set the stripes again.
    """
    counts = subject.observed.get("file_stripes") or []
    if len(counts) < 2:
        return None
    return Said(DEGRADED, f"the files have {', '.join(map(str, counts))} stripes")


@rule(INVALID, needs_output=True)
def dry_run(subject: Subject) -> Said | None:
    """The program only acted as if: nothing was moved.

    Hint: run it without --dryRun.
    """
    return Said(INVALID, "--dryRun was given") if subject.observed.get("dry_run") else None
