"""Rules that compare what ran with what the cell requested."""

from weir.audit.registry import Outcome, degraded, invalid, not_observable, note, passed, rule
from weir.audit.subject import Subject
from weir.base.units import about_size, counted, numbers_in
from weir.records.columns import repeated_parameters

_MOST = 0.5  # share of the file
_STRIPE_TERMS = {"stripe_count": "{} stripes", "pool": "pool {}", "osts": "storage targets {}"}


@rule("INVALID", needs_output=True)
def other_than_requested(subject: Subject) -> Outcome | None:
    """The output shows that something else ran than the cell requested: another interface, other sizes,
    another order, or other options.

    Hint: compare the command in run.json with the cell; the program may ignore an option.
    """
    if subject.cell is None or not subject.has_result:
        return None
    params, row = subject.cell.params, subject.row
    shown, wrong = [], []
    for column, name in repeated_parameters().items():
        ran = row.get(column)
        if ran is not None and name in params:
            shown.append(column)
            if ran != params[name]:
                wrong.append(f"{column}: requested {params[name]}, ran {ran}")
    if wrong:
        return invalid(", ".join(wrong))
    if not shown:
        return not_observable("the output repeats nothing of the request")
    return passed(f"as requested: {', '.join(shown)}")


@rule("INVALID", needs_output=True)
def other_ranks(subject: Subject) -> Outcome | None:
    """Other nodes or processes took part than were requested, or they were spread unevenly.

    Hint: look at the launcher's options and the allocation (oversubscribed or missing nodes).
    """
    cell, row = subject.cell, subject.row
    if cell is None or not subject.has_result:
        return None
    tasks = subject.observed.get("tasks")
    if tasks is not None and tasks != cell.ranks:
        return invalid(f"requested {cell.ranks} ranks, {tasks} took part")
    seen, wanted = (row.get("nn"), row.get("ppn")), (cell.nodes, cell.ppn)
    if None not in seen and seen != wanted:
        return invalid(f"requested {wanted[0]} x {wanted[1]} ranks, {seen[0]} x {seen[1]} took part")
    per_host = subject.observed.get("ranks_per_host")
    if per_host and set(per_host) != {cell.ppn}:
        return invalid(f"requested {cell.ppn} ranks on each node, had {per_host}")
    if tasks is None and None in seen:
        return not_observable("the output does not tell the ranks")
    return passed(f"{cell.nodes} x {cell.ppn} ranks took part")


@rule("INVALID", "DEGRADED", needs_output=True)
def direct_not_applied(subject: Subject) -> Outcome | None:
    """O_DIRECT was requested and the file was not opened with it (IOR drops it without a message for all but
    POSIX and AIO), so the page cache was measured; imported logs are DEGRADED, as no cell requested it. Or
    the kernel granted it and used its cache all the same, as ext4 with data=journal: most of the file is
    there afterwards, and was not before the read, or is unwritten.

    Hint: use POSIX or URING for O_DIRECT, on a file system that has it.
    """
    row = subject.row
    if not row.get("direct") or not subject.has_result or subject.stores_nothing:
        return None
    worse = degraded if subject.run is None else invalid
    if row.get("api") not in (None, "POSIX", "URING"):
        return worse(f"{row.get('api')} does not open with O_DIRECT")
    seen = subject.observed.get("direct")
    if seen is None:
        return not_observable("the program does not tell how it opened its files")
    flags = " ".join(subject.observed.get("open_flags") or []) or "flags unknown"
    cached = _from_page_cache(subject)
    if seen and cached:
        return worse(f"opened with {flags}, and the page cache had {cached}")
    return passed(f"opened with {flags}") if seen else worse(f"opened with {flags}")


def _from_page_cache(subject: Subject) -> str | None:
    """Tells what the page cache has after an access, where no access past it leaves that."""
    # A file that others map, or read before, is in the cache all the same, and nothing of it is dirty.
    look = subject.observed.get("residency") or {}
    before, after = look.get("before"), look.get("after")
    if subject.is_read and before is not None and after is not None and after - before >= _MOST:
        return f"{100 * after:.0f} % of the file after the read, {100 * before:.0f} % before it"
    seen, moved = subject.observed.get("unwritten"), subject.number("moved_bytes")
    if not subject.is_write or not seen or not moved:
        return None
    left = seen["dirty_bytes"] + seen["writeback_bytes"]
    is_most = left >= _MOST * subject.of_files(moved)
    return f"{about_size(left)} that were not written back" if is_most else None


@rule("DEGRADED", needs_output=True)
def hints_not_in_force(subject: Subject) -> Outcome | None:
    """A hint was passed to the open and the opened file does not have it: the MPI library does not know the
    hint, or overrides it.

    Hint: look up the hints of the MPI-IO that runs (ROMIO and ompio differ), or drop the hint.
    """
    wanted = subject.observed.get("hints") or {}
    if not wanted or not subject.has_result:
        return None
    in_force = subject.observed.get("hints_in_force")
    if in_force is None:
        return not_observable("the program does not tell the hints in force")
    wrong = [
        f"{key}: requested {value}, in force {in_force.get(key, 'nothing')}"
        for key, value in wanted.items()
        if in_force.get(key) != value
    ]
    return degraded(", ".join(wrong)) if wrong else passed(f"in force: {', '.join(wanted)}")


@rule("DEGRADED", needs_output=True)
def stripes_not_applied(subject: Subject) -> Outcome | None:
    """The cell requested a number of stripes, a pool or storage targets, and the files got others, or the
    file system does not tell.

    Hint: look at what `lfs setstripe` may do there (lfs df, quota, pools); weir-io alone observes pools and
    storage targets.
    """
    params = subject.cell.params if subject.cell else {}
    requested = {name: params[name] for name in ("stripe_count", "pool", "osts") if params.get(name)}
    if not requested or not subject.has_result:
        return None
    layout = subject.observed.get("file_layout") or {}
    pools = {component["pool"] for component in layout.get("components") or ()}
    targets = {int(index) for index in layout.get("target_stripes") or ()}
    found = {
        "stripe_count": subject.row.get("stripe_count"),
        "pool": ", ".join(sorted(str(pool) for pool in pools)) or None,
        "osts": ",".join(map(str, sorted(targets))) or None,
    }
    wrong = [name for name, value in requested.items() if found[name] != value]
    if "osts" in wrong and targets and targets <= numbers_in(requested["osts"]):
        wrong.remove("osts")
    if not wrong:
        return passed(", ".join(f"{_STRIPE_TERMS[name].format(found[name])}" for name in requested))
    name = wrong[0]
    text = _STRIPE_TERMS[name].format(requested[name])
    return degraded(f"requested {text}, found {'nothing' if found[name] is None else found[name]}")


@rule("NOTE", needs_output=True)
def stripes_differ(subject: Subject) -> Outcome | None:
    """The files of one access have different stripe counts, so that the ranks do not share the storage
    evenly; the record names the most frequent one.

    Hint: look for full or inactive storage targets (lfs df), and set the stripes again.
    """
    counts = subject.observed.get("file_stripes") or {}
    if not counts:
        return None
    if len(counts) == 1:
        return passed(f"all files have {counted(int(next(iter(counts))), 'stripe')}")
    total = sum(counts.values())
    shares = [f"{count} stripes {100 * files / total:.0f} %" for count, files in sorted(counts.items())]
    return note(f"{total} files: {', '.join(shares)}")


@rule("INVALID", needs_output=True)
def dry_run(subject: Subject) -> Outcome | None:
    """The program only printed what it would do: nothing was moved.

    Hint: run it without --dryRun.
    """
    if not subject.has_result or "dry_run" not in subject.observed:
        return None
    return invalid("--dryRun was given") if subject.observed["dry_run"] else passed("no dry run")
