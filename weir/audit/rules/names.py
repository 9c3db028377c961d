"""Operations on files and directories: those requested, and those done."""

from weir.audit.registry import Outcome, degraded, invalid, not_observable, note, passed, rule
from weir.audit.subject import Subject
from weir.base.units import about_size, counted, sizes

# Names share blocks of directories and of inodes: 256 bytes is the smallest inode of ext4 and XFS.
_LEAST_OF_NAME = 256
# Small files share blocks, and a file system may keep one in its inode; a journal only adds.
_SYNCED = 0.5
_DISTINCT = 0.5  # share of distinct names among the calls


@rule("INVALID", needs_output=True)
def other_count(subject: Subject) -> Outcome | None:
    """The number of created, looked-at or removed names differs from the request, and no stonewall ended the
    phase.

    Hint: look for the reason in the output: a full storage, a tree of an earlier run.
    """
    # The count of a program other than weir-io proves nothing: libweir-witness has to have counted the calls
    # of every rank.
    if not subject.is_metadata or not subject.has_result:
        return None
    done, requested = subject.number("ops"), subject.number("requested_ops")
    if done is None or requested is None:
        return not_observable("the operations requested or done are unknown")
    if done == requested:
        return _counted(subject, f"{done:.0f} operations requested and done")
    wall = subject.observed.get("stonewall") or {}
    if done < requested and (wall.get("hit") or subject.observed.get("status_file")):
        return _counted(
            subject, f"a stonewall ended the phase after {done:.0f} of {requested:.0f} operations"
        )
    return invalid(f"requested {requested:.0f} operations, {done:.0f} were done")


def _counted(subject: Subject, text: str) -> Outcome:
    if subject.row.get("program") != "weir-io" and subject.observed.get("called_operations") is None:
        return not_observable(f"{text}, which the program alone counted")
    return passed(text)


@rule("NOTE", "DEGRADED", needs_output=True)
def mean_of_iterations(subject: Subject) -> Outcome | None:
    """The output has only the smallest, the largest and the mean rate of more than three iterations: the
    record is the mean or, of mdtest in IOR 3.2.0, the best iteration, which its table has in place of all. Of
    three iterations the one between follows from their mean: a note, since it has the rounding of all three.

    Hint: measure with one iteration a run (repetitions in rounds), or with weir-io, which keeps them all.

    Of a log: run one iteration (-i 1) several times, or weir-io, which keeps them all.
    """
    iterations = subject.observed.get("mean_of")
    if subject.has_result and subject.observed.get("derived"):
        return note("computed from the greatest, the least and the mean of three iterations")
    if not subject.has_result or not (subject.is_metadata or iterations):
        return None
    if iterations is None:
        return not_observable("the number of iterations in the rate is unknown")
    if subject.observed.get("best_of"):
        return degraded(f"the greatest of {iterations} iterations: the table mixed them")
    return degraded(f"mean of {iterations} iterations") if iterations > 1 else passed("one iteration")


@rule("INVALID")
def no_rate(subject: Subject) -> Outcome | None:
    """A rate of zero operations per second measures nothing.

    Hint: request more items, so that there is time to measure.
    """
    rate = subject.number("ops_s")
    if not subject.is_metadata or rate is None:
        return None
    text = f"the rate is {rate:g} operations per second"
    return passed(text) if rate > 0 else invalid(text)


@rule("INVALID", needs_output=True)
def operations_not_in_calls(subject: Subject) -> Outcome | None:
    """The program reports more operations on names than its calls made, as libweir-witness counted them: some
    never reached the operating system. Or its operations had less than half as many names (an estimate): one
    file stood for many.

    Hint: look for LD_PRELOAD and for a changed program.
    """
    called, done = subject.observed.get("called_operations"), subject.number("ops")
    if not subject.is_metadata or not subject.has_result or subject.row.get("api") != "POSIX":
        return None
    if called is None or done is None:
        return not_observable("nobody counted the calls of the program")
    text = f"reported {done:.0f} operations, the calls made {called}"
    named = subject.observed.get("named")
    if named and named["distinct"] < _DISTINCT * named["calls"]:
        return invalid(f"{text}: {named['calls']} of them at about {named['distinct']} names")
    return passed(text) if called >= done else invalid(text)


@rule("INVALID", needs_output=True)
def entries_not_there(subject: Subject) -> Outcome | None:
    """After the clock stopped, the kernel looked up a sample of the names: a created one is missing, or a
    removed one still there.

    Hint: look for LD_PRELOAD, a filter of system calls (seccomp) and a changed program.
    """
    # With a shift (mdtest -N) half of the sample suffices, because other ranks may already remove names.
    entries, access = subject.observed.get("entries"), subject.row.get("access")
    if not subject.is_metadata or not subject.has_result or access not in ("create", "remove"):
        return None
    if not entries or not entries["sampled"]:
        return not_observable("nobody looked whether the names are there")
    sampled, there = entries["sampled"], entries["there"]
    right = there if access == "create" else sampled - there
    text = f"of {sampled} names {there} were there after the {access}"
    is_shifted = bool(subject.cell and subject.cell.params.get("shift"))
    return passed(text) if right >= (sampled / 2 if is_shifted else sampled) else invalid(text)


@rule("INVALID", needs_output=True)
def files_not_synchronised(subject: Subject) -> Outcome | None:
    """Each file was to be synchronised after it was written (mdtest -y), and something skips that: fewer
    succeeded than files were created, a sample of the files has unwritten pages right after, or when the
    clock stopped (cachestat, Linux 6.5), or the device was written less than half of their bytes.

    Hint: look for LD_PRELOAD, a filter of system calls (seccomp) and mount options such as nobarrier.
    """
    if not subject.synchronises_files:
        return None
    files, calls = subject.number("ops"), subject.observed.get("sync_calls")
    if files is None:
        return not_observable("the number of files is unknown")
    if calls is not None and calls < files:
        return invalid(f"{calls} synchronisations of {files:.0f} files")
    entries, written = subject.observed.get("entries") or {}, subject.observed.get("device_written_bytes")
    looked, unwritten = entries.get("cached_files") or 0, entries.get("unwritten_bytes")
    if unwritten:
        return invalid(f"{about_size(unwritten)} of {counted(looked, 'file')} were not written back")
    if written is None and looked:
        return passed(f"all pages of {counted(looked, 'file')} were written back")
    if written is None:
        reason = (subject.observed.get("device") or {}).get("reason")
        return not_observable(reason or "the device behind the files is unknown")
    needed = files * (subject.number("xfer_bytes") or 0.0)
    arrived, of_files = sizes(written, needed)
    text = f"{arrived} were written to the device, {of_files} to the files"
    return passed(text) if written >= _SYNCED * needed else invalid(text)


@rule("NOTE", "DEGRADED", needs_output=True)
def metadata_from_cache(subject: Subject) -> Outcome | None:
    """The same nodes had just created the names that were looked at or read, and neither device nor server
    gave anything for them: the rate is that of the client's memory. It is a note on a local file system,
    where mdtest always measures this, and DEGRADED on a network file system with less than one request for
    two operations.

    Hint: let other nodes look at what one made (shift), or look in another run, after the caches were
    dropped.
    """
    looks = subject.is_metadata and subject.row.get("access") in ("stat", "read")
    if not looks or not subject.has_result or subject.in_memory or subject.stores_nothing:
        return None
    done, given = subject.number("ops"), subject.observed.get("device_read_bytes")
    servers = (subject.observed.get("servers") or {}).get("observers") or ()
    requests = [one["requests"] for one in servers if one.get("requests") is not None]
    if requests and done:
        text = f"{max(requests)} requests to the servers for {done:.0f} operations"
        return degraded(text) if max(requests) < done / 2 else passed(text)
    if given is None or not done:
        return not_observable("neither a device nor a server shows what it gave")
    text = f"the device gave {about_size(given)} for {done:.0f} operations"
    return note(f"{text}: the names were in memory") if given < done * _LEAST_OF_NAME else passed(text)
