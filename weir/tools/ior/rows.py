"""Makes rows of what IOR printed: of the outputs of one run, by role, and of logs that hold several runs.

The request of a row comes from the command line and the options, its numbers from the results.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from weir.records.model import Message, Parsed, Row
from weir.records.printed_values import iso_time, product_contains, real, real_or_text, whole
from weir.tools.between import told_apart
from weir.tools.complaints import without_repeats
from weir.tools.ior.arguments import API_NAMES, has_script, other_options, parse_arguments
from weir.tools.ior.log import Printed, RunLog, Test, all_messages, scan
from weir.tools.ior.quoted_commands import quoted_command
from weir.tools.outputs import binary_size, told_around

_MIB = 2**20


def parse_outputs(texts: Mapping[str, str], document: Parsed | None) -> Parsed:
    """Parses what was printed, by role; document: what weir-io's summary holds. summary, stdout and stderr
    may each be missing or cut."""
    stdout = scan(texts.get("stdout", ""))
    stderr = all_messages(scan(texts.get("stderr", "")))
    if document is not None:
        return _with_messages(document, [*all_messages(stdout), *stderr])
    summary = scan(texts.get("summary", ""))[-1]
    if summary.program:
        _take_sizes(summary, [sizes for run in stdout for sizes in run.sizes])
        return _with_messages(_parsed_run(summary), [*all_messages(stdout), *stderr])
    if any(run.program for run in stdout):
        return _with_messages(_parsed_run(stdout[-1]), [*all_messages(stdout[:-1]), *stderr])
    nothing = Parsed((), {}, (), program="", tool_version="", complete=False)
    return _with_messages(nothing, [*all_messages(stdout), *stderr])


def parse_log(text: str) -> Sequence[Parsed]:
    """The runs in a log that somebody kept; empty if there is nothing of IOR or weir-io in it."""
    runs = [run for run in scan(text) if run.is_of_ior]
    for run in runs:
        run.program = run.program or "IOR"  # a log without its first lines
    told = told_apart(text, [(run.command_line, *_gap(text, *run.before)) for run in runs])
    parsed = [_parsed_run(run, text, one) for run, one in zip(runs, told, strict=True)]
    return _with_stripes(parsed, runs)


def _gap(text: str, begin: int, end: int) -> tuple[int, int]:
    """Begin and end of the lines before a run, behind those that the run before it printed at its end."""
    return max((match.end() for match in _LAST_LINES.finditer(text, begin, end)), default=begin), end


def _with_messages(parsed: Parsed, others: Sequence[Message]) -> Parsed:
    return replace(parsed, messages=tuple(without_repeats([*parsed.messages, *others])))


def _take_sizes(summary: RunLog, warned: Sequence[dict[str, int]]) -> None:
    """Takes the sizes from the warnings. With a summary file they stay on stdout, without the result they
    belong to: they come in the order of the results, for those whose sizes differ, and the bandwidth tells
    which that is."""
    results = [result for test in summary.tests for result in test.results]
    if len(results) == len(warned):
        for result, sizes in zip(results, warned, strict=True):
            result.sizes = sizes
        return
    waiting = list(warned)
    for result in results:
        rate, total_s = (real(result.values.get(name)) for name in ("bw", "total"))
        if waiting and _moved_fits(rate, total_s, waiting[0].get("moved_bytes", 0)):
            result.sizes = waiting.pop(0)
    for sizes in waiting:
        summary.messages.append(Message("warning", f"sizes of an unknown result differ: {sizes}"))


def _moved_fits(rate: object, total_s: object, moved_bytes: int) -> bool:
    if not isinstance(rate, float) or not isinstance(total_s, float):
        return False
    return product_contains(rate, total_s, moved_bytes / _MIB)


def _with_stripes(parsed: list[Parsed], runs: Sequence[RunLog]) -> list[Parsed]:
    """Adds the stripes of the written files that lfs getstripe printed anywhere in the log."""
    counts = Counter(count for run in runs for count in run.file_stripes)
    for row in (row for run in parsed for row in run.rows):
        if counts and row["access"] == "write":
            row["stripe_count"] = counts.most_common(1)[0][0]
            row["observed"]["file_stripes"] = dict(counts)
    return parsed


# IOR compares sizes for all back ends but these, so for these no message about sizes proves nothing.
_SIZES_UNCHECKED = ("HDF5", "PNETCDF")
_CLIENTS = re.compile(r"(\d+) \((\d+) per node\)")
_ENDLESS = 2**60
_OWN_FILES = "file-per-process"
_UNEQUAL = 0.05  # files of ranks, among which the warning has the size of one
_FROM_HEADS = "IOR before 16 May 2025 draws the offsets of -z -z -F from the first 1/tasks of each file"
_LATE_FROM_HEADS = "after it IOR draws the offsets of -z -z -F from the first 1/tasks of each file"
_HALF_DIGIT_GIB = 0.05  # half of the last digit of the printed mean
_EXACT_ITERATIONS = 3  # least, greatest and mean give the values of so many
_REORDER = {"no": "none", "constant": "constant", "random": "random"}  # tasks offsets, task offset
_TIMES = {
    "open": "open_s",
    "io": "io_s",
    "close": "close_s",
    "total": "total_s",
    "bw": "bw_mib_s",
    "iops": "ops_s",
}
_FOR_AUDIT = (
    *("barriers", "wear_out", "reorder", "verify_write", "verify_read", "random_twice", "min_time_s"),
    *("status_file", "dry_run", "many_files", "embedded"),
)
_AS_REQUESTED = (
    *("api", "ppn", "layout", "order", "segments"),
    *("collective", "sync", "direct", "iodepth", "rate", "rw_mix", "zipf", "distribution", "file_view"),
    *("compress_percent", "dedupe_percent"),
)
# Flags among the Parameters of the JSON. fsync is there as IOR does it, not as requested: hence the "or".
_LAST_LINES = re.compile(r"^\s*(?:Max (?:Write|Read):|(?:write|read) |(?:Run f|F)inished\b).*$", re.MULTILINE)
_NOTHING: Mapping[str, str] = {}
_PARAMETER_FLAGS = {
    "fsync": "sync",
    "collective": "collective",
    "stoneWallingWearOut": "wear_out",
    "checkWrite": "verify_write",
    "checkRead": "verify_read",
    "dryRun": "dry_run",
    "multiFile": "many_files",
}


def _parsed_run(run: RunLog, log: str = "", told: Mapping[str, str] = _NOTHING) -> Parsed:
    """One execution; rows of all its tests, one after the other. log: the text that has it, without what IOR
    printed beside a summary file, where its warnings are. told: what alone tells it from others."""
    rows: list[Row] = []
    requested: dict[str, Any] = {}
    expected_results = behind = 0
    for number, test in enumerate(run.tests or [Test()]):
        command_line = "" if test.is_quoted else run.command_line
        launched: dict[str, Any] = {}
        if not command_line and not test.options:
            command_line, launched = quoted_command(test, log, behind)
        behind = test.place
        requested = _requested_of(test, command_line) | launched
        if log and run.from_json and "summary_file" in requested and not run.sizes:
            requested["warns_elsewhere"] = True
        test.results = test.results or list(_of_summaries(test, requested.get("iterations", 1)))
        found = _test_rows(test, requested, run.began)
        options = other_options(command_line) | test.hints | _of_script(test, command_line)
        if number and not test.options and (launched or not command_line):
            options["table"] = str(number)  # what tells it from the one before is not printed
        options |= told_around(log, test.place, command_line, log[slice(*run.before)])
        options |= told
        for row in found if options else ():
            row["observed"]["workload"] = {"options": options}
        rows += found
        iterations = 1 if any(one.mean_of > 1 for one in test.results) else requested.get("iterations", 1)
        expected_results += iterations * len(requested.get("access", ()))
    for row in rows:
        row["observed"]["all_results"] = len(rows) >= expected_results
    return Parsed(
        rows=tuple(rows),
        requested=requested,
        messages=tuple(without_repeats(run.messages)),
        program=run.program,
        tool_version=run.version,
        complete=run.finished,
    )


def _requested_of(test: Test, command_line: str) -> dict[str, Any]:
    """The request in the tool's parameter names, with tasks, nodes and ppn; sizes rounded for reading are not
    taken."""
    options = test.options
    ordering = options.get("ordering inter file", "").partition(" ")[0]
    requested = _known(reorder=_REORDER.get(ordering))  # of a script, no command tells it
    requested |= parse_arguments(command_line) if command_line else {}
    requested |= _known(
        api=_api(options.get("api")),
        layout=_layout(options),
        order=_order(options),
        iterations=whole(options.get("repetitions")),
        stonewall=_stonewall(options),
        **_job(options),
    )
    requested |= _known(
        xfer_bytes=whole(options.get("transferSize")) or _whole_size(options.get("xfersize")),
        block_bytes=whole(options.get("blockSize")) or _whole_size(options.get("blocksize")),
        segments=whole(options.get("segmentCount") or options.get("segments")),
    )
    for option, name in _PARAMETER_FLAGS.items():
        if option in options:
            requested[name] = requested.get(name, False) or options[option] not in ("0", "")
    if options.get("type") == "collective":
        requested["collective"] = True
    return requested | _known(access=_access(options) or requested.get("access"))


def _of_script(test: Test, command_line: str) -> dict[str, str]:
    """Settings of a test in a script file, which a command would tell."""
    names = ("task offset", "memoryPerNode", "memoryPerTask") if has_script(command_line) else ()
    return {name: test.options[name] for name in names if name in test.options}


def _test_rows(test: Test, requested: Mapping[str, Any], began: str) -> list[Row]:
    rows: list[Row] = []
    counts: dict[str, int] = {}
    written: dict[int, tuple[int, Any]] = {}
    for result in test.results:
        iteration = whole(result.values.get("iteration"))
        if iteration is None:
            iteration = counts.get(result.access, 0)
        counts[result.access] = counts.get(result.access, 0) + 1
        row = _row(result, requested) | {"iteration": iteration, "began": iso_time(began)}
        if path := test.options.get("test filename"):
            row["observed"]["path"] = path
        if result.access == "write" and row["moved_bytes"] is not None:
            written[iteration] = row["moved_bytes"], row["bw_mib_s"]
        elif iteration in written:
            row["observed"]["written_bytes"], bw_mib_s = written[iteration]
            row["observed"] |= {"written_mib_s": bw_mib_s} if isinstance(bw_mib_s, float) else {}
        rows.append(row)
    return rows


def _of_summaries(test: Test, iterations: int) -> Iterator[Printed]:
    """The results of a log without a table of iterations. Of more than three only the greatest, the least and
    the mean are known; the order of measurement is not printed."""
    for access, numbers in test.summaries:
        greatest, least, mean = (real(number) or 0.0 for number in numbers[:3])
        if iterations == 1:
            yield Printed(access, {"bw": numbers[2], "total": numbers[8]})
        elif iterations <= _EXACT_ITERATIONS:
            third = 3 * mean - greatest - least
            for at, value in enumerate((greatest, least, third)[:iterations], 1):
                yield Printed(access, {"bw": f"{value:.2f}"}, is_derived=at == _EXACT_ITERATIONS)
        else:
            yield Printed(access, {"bw": numbers[2]}, mean_of=iterations)


def _row(result: Printed, requested: Mapping[str, Any]) -> Row:
    values = result.values
    tasks = requested.get("tasks") or whole(values.get("tasks"))
    row: Row = {
        "access": result.access,
        "nn": requested.get("nodes"),
        "xfer_bytes": requested.get("xfer_bytes") or _kib_bytes(values.get("xfer_kib")),
        "block_bytes": requested.get("block_bytes") or _kib_bytes(values.get("block_kib")),
        "stonewall_s": requested.get("stonewall"),
        **{name: requested.get(name) for name in _AS_REQUESTED},
    }
    row |= {column: real_or_text(values[name]) if name in values else None for name, column in _TIMES.items()}
    row |= _sizes(result.sizes, row, tasks, "warns_elsewhere" in requested)
    row["observed"] = {key: requested[key] for key in _FOR_AUDIT if key in requested} | {"tasks": tasks}
    if requested.get("sync_each") and result.access == "write":
        row["sync"] = True
        row["observed"]["syncs_reported"] = _writes(row)
    if result.mean_of > 1:
        row["observed"]["mean_of"] = result.mean_of
    if result.is_derived:
        row["observed"]["derived"] = True
    if result.pairs:
        row["observed"]["stonewall"] = {"pairs_min": result.pairs[0], "pairs_max": result.pairs[1]}
    if requested.get("random_twice") and result.access == "read" and requested.get("layout") == _OWN_FILES:
        row["observed"] |= _drawn(result, row, tasks)
    return row


def _writes(row: Row) -> int | None:
    moved, xfer = row["moved_bytes"], row["xfer_bytes"]
    return moved // xfer if moved and xfer else None


def _drawn(result: Printed, row: Row, tasks: int | None) -> dict[str, Any]:
    """The bytes of the files from which -z -z -F drew the offsets of a read.

    Up to May 2025 (348572c of IOR) they were the first 1/tasks of each file, and the size that the warning
    calls expected is that of one file. Since then they are the whole file; but what a rank lacks of the
    fastest one at the stonewall still comes from the first 1/tasks."""
    file_bytes, warned = row["file_bytes"], result.sizes.get("requested_bytes")
    if not tasks or not file_bytes or not warned:
        return {}
    head_bytes = file_bytes // tasks
    if abs(warned - head_bytes) <= _UNEQUAL * head_bytes:
        drawn = {"bytes": head_bytes, "late_bytes": head_bytes, "late_share": 0.0}
        return {"drawn": drawn | {"because": _FROM_HEADS}}
    late = 0.0
    if result.mean_gib is not None and row["moved_bytes"]:
        fastest_bytes = row["moved_bytes"] / tasks
        late = max(1 - (result.mean_gib - _HALF_DIGIT_GIB) * 2**30 / fastest_bytes, 0.0)
    drawn = {"bytes": file_bytes, "late_bytes": head_bytes, "late_share": round(late, 3)}
    return {"drawn": drawn | {"because": _LATE_FROM_HEADS if late else ""}}


def _sizes(warned: Mapping[str, int], row: Row, tasks: int | None, is_elsewhere: bool) -> Row:
    """IOR prints three sizes where they differ, and nothing where all of them are what was requested. Where
    it prints them elsewhere, rate and time tell whether all was moved, and nothing the size of the file."""
    requested_bytes = warned.get("requested_bytes")
    if tasks and row["block_bytes"] and row["segments"]:
        # The warning's expected size is that of one file, or what is left after an overflow.
        requested_bytes = tasks * row["block_bytes"] * row["segments"]
    if requested_bytes and requested_bytes > _ENDLESS:
        requested_bytes = None  # only the stonewall was to end it
    silent = None if row["api"] in (None, *_SIZES_UNCHECKED) else requested_bytes
    moved = warned.get("moved_bytes", None if warned else silent)
    if is_elsewhere and moved and not _moved_fits(row["bw_mib_s"], row["total_s"], moved):
        moved = None
    return {
        "requested_bytes": requested_bytes,
        "moved_bytes": moved,
        "file_bytes": warned.get("file_bytes", None if warned or is_elsewhere else silent),
    }


def _api(text: str | None) -> str | None:
    """'MPIIO (version=3, subversion=0)', 'NCMPI', 'posix'"""
    word = (text or "").split("(")[0].split("-")[0].strip().upper()
    return API_NAMES.get(word, word) or None


def _layout(options: Mapping[str, str]) -> str | None:
    text = options.get("access", "")
    if "filePerProc" in options:
        return _OWN_FILES if options["filePerProc"] != "0" else "shared"
    return {"single-shared-file": "shared", _OWN_FILES: _OWN_FILES}.get(text.split(",")[0])


def _order(options: Mapping[str, str]) -> str | None:
    text = options.get("ordering in a file", "")
    return "random" if text.startswith("random") else "sequential" if text.startswith("sequential") else None


def _stonewall(options: Mapping[str, str]) -> float | None:
    for key in ("deadlineForStonewall", "stonewallingTime", "Using stonewalling"):
        if key in options:
            return real(options[key].partition(" ")[0])
    return None


def _access(options: Mapping[str, str]) -> list[str] | None:
    if "writeFile" not in options:
        return None
    return [access for access in ("write", "read") if options.get(f"{access}File", "0") != "0"]


def _job(options: Mapping[str, str]) -> dict[str, int]:
    clients = _CLIENTS.match(options.get("clients", ""))
    tasks, ppn = (whole(clients[1]), whole(clients[2])) if clients else (None, None)
    tasks = tasks or whole(options.get("tasks"))
    ppn = ppn or whole(options.get("clients per node") or options.get("tasksPerNode"))
    nodes = whole(options.get("nodes")) or (-(-tasks // ppn) if tasks and ppn else None)
    if tasks:  # with -N some of the ranks that were started, and of their nodes, have no task
        nodes, ppn = (min(count, tasks) if count else None for count in (nodes, ppn))
    return {key: value for key, value in (("tasks", tasks), ("ppn", ppn), ("nodes", nodes)) if value}


def _whole_size(text: str | None) -> int | None:
    """'102400 bytes' and '16 MiB' are exact, '9.46 TiB' is not."""
    return binary_size((text or "").replace("bytes", "").replace(" ", ""))


def _kib_bytes(text: str | None) -> int | None:
    """Four decimals of KiB, as in JSON and CSV, are enough for a byte; two, as in tables, are not."""
    size_kib = real(text)
    if text is None or size_kib is None:
        return None
    decimals = len(text.partition(".")[2])
    exact = decimals >= 4 or decimals == 0 or size_kib.is_integer()
    return round(size_kib * 1024) if exact else None


def _known(**values: Any) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}
