"""The workload of a run of elbencho, as its command or the script around it tells it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from weir.records.printed_values import whole
from weir.tools.outputs import binary_size, words_of

# A line of a shell: behind a prompt may stand what starts the program, such as a container; not its help.
_STARTED = r"(?:.{0,80}[$#] (?:\S+ ){0,40})?(?:\S*/)?elbencho(?::\S+)? +(?!--?h(?:elp\S*)?\s*$)-"
_PROGRAM = re.compile(r"(?:.*/)?elbencho(?::.*)?")
_COMMAND = re.compile(rf"^(?:COMMAND LINE: |{_STARTED}).*$", re.MULTILINE)
# The scripts for sweeps that come with elbencho name the directory of each data set.
_DATA_SET = re.compile(r"^Working on (/\S{1,4000}) with (\d{1,9}) threads", re.MULTILINE)
BEGIN = re.compile(rf"^(?:ISO DATE(?: start)? ?: |Working on /|{_STARTED})", re.MULTILINE)
_FILES = re.compile(r"(\d{1,12})x(\d{1,12}[KMGT]iB)")  # the name of such a directory
_LONG_NAMES: Mapping[str, str] = {
    "-b": "--block",
    "-s": "--size",
    "-t": "--threads",
    "-n": "--dirs",
    "-N": "--files",
}
# What a run does, which is the access of a record, and where it reports: no difference of workloads.
_NO_WORKLOAD = re.compile(
    r"-[wrdDF]|--(?:write|read|mkdirs|deldirs|delfiles|stat|nolive|nocsvlabels|lat\w*|all\w*|dryrun|label|log|"
    r"(?:json|csv|res|live\w*)file|live\w*|ops\w*|hosts\w*|threads|block|size|direct|rand|iodepth)"
)
_TREE = frozenset(("--dirs", "--files", "--mkdirs", "-d"))
_RESULTS = re.compile(r"--(?:json|csv|res)file")
_OUTPUT_FILES = re.compile(r"--(?:(?:json|csv|res)file|live(?:csv|json)\w*|opslog\w*|hostsfile)")
Facts = dict[str, Any]


def told_before(text: str) -> Facts:
    """The facts in the lines before a table, by the names of the facts of a phase; sync is None where nobody
    knows the options."""
    *_, command = None, *_COMMAND.finditer(text)
    if command:
        return of_command(command[0])
    data_set = _DATA_SET.search(text)
    told: Facts = {"sync": None}
    if data_set:
        name, files = data_set[1].rpartition("/")[2], _FILES.fullmatch(data_set[1].rpartition("/")[2])
        workload: Facts = {"job": name, "workers": int(data_set[2])}
        workload |= {"files": int(files[1]), "file_bytes": binary_size(files[2])} if files else {}
        told |= {"path": data_set[1], "workload": _known(workload)}
    return told


def of_command(line: str) -> Facts:
    """The facts that the options of a command before a table settle. Without a file of more options, what is
    not among them has elbencho's default: the CSV of the run, which has all, is of the same cell."""
    arguments = _arguments(line)
    options = dict(_options(arguments))
    has_more = "-c" in options or "--configfile" in options
    default = {} if has_more else {"--threads": "1", "--block": "1m", "--iodepth": "1"}
    told = default | options
    hosts, workers = _hosts(options.get("--hosts", "")), whole(told.get("--threads"))
    if not has_more and not {"--hosts", "--hostsfile"} & options.keys():
        hosts = 1
    files = _files(arguments, options, workers, hosts)
    workload = {
        "job": options.get("--label", ""),
        "workers": workers,
        "files": files,
        "file_bytes": binary_size(options.get("--size", "")),
        "options": _others(options),
    }
    is_shared = files == 1 and not _names_tree(options) and (workers or 0) > 1
    return {
        "hosts": hosts,
        "direct": True if "--direct" in options else None if has_more else False,
        "order": "random" if "--rand" in options else "sequential",
        "layout": "shared" if is_shared else None,
        "xfer_bytes": _block(told),
        "objects": "--s3endpoints" in options,
        "iodepth": whole(told.get("--iodepth")),
        "path": next(_paths(arguments), None),
        "results_in": _results_in(options),
        "workload": _known(workload),
    }


def of_config(config: Mapping[str, Any], files: int | None) -> Facts:
    """Path, files and workload of a document, which has the command beside what it settled."""
    arguments = _arguments(str(config.get("command") or ""))
    options = dict(_options(arguments))
    workload = {
        "job": str(config.get("label") or ""),
        "workers": whole(str(config.get("threads"))),
        "files": files,
        "file_bytes": binary_size(str(config.get("file_size"))),
        "options": _others(options),
    }
    path = next(_paths(arguments), None)
    return {"path": path, "results_in": _results_in(options), "workload": _known(workload)}


def _files(
    arguments: Sequence[str], options: Mapping[str, str], workers: int | None, hosts: int | None
) -> int | None:
    """Files of all workers of a tree, else the paths as they are named."""
    if not _names_tree(options):
        return len(list(_paths(arguments))) or None
    dirs, files = (whole(options.get(name, "1")) for name in ("--dirs", "--files"))
    return (dirs or 1) * files * workers * hosts if files and workers and hosts else None


def _names_tree(options: Mapping[str, str]) -> bool:
    """Whether there are options of a tree; elbencho takes a name that is cut where no other begins so."""
    return any(option.startswith(name) for name in options for option in _TREE)


def _block(told: Mapping[str, str]) -> int | None:
    """The bytes of an operation: elbencho takes no block that is longer than a file, but for those of a list
    with sizes of their own."""
    block, size = (binary_size(told.get(name, "")) for name in ("--block", "--size"))
    return block if block is None or size is None or "--treefile" in told else min(block, size) or None


def _results_in(options: Mapping[str, str]) -> list[str]:
    """The names of the files that hold the results of one run."""
    return sorted(Path(value).name for name, value in options.items() if _RESULTS.fullmatch(name) and value)


def _others(options: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in options.items() if not _NO_WORKLOAD.fullmatch(name)}


def _known(workload: Facts) -> Facts:
    return {name: value for name, value in workload.items() if value}


def _hosts(text: str) -> int | None:
    """Number of a list of names; what a range in brackets stands for is not counted. Which nodes a job got is
    no difference of workloads."""
    names = [name for name in re.split(r"[,\s]+", text) if name]
    return len(names) if names and "[" not in text else None


def _arguments(line: str) -> list[str]:
    """The arguments of a command, the program first."""
    arguments = words_of(line.removeprefix("COMMAND LINE: "))
    begin = next((at for at, one in enumerate(arguments) if _PROGRAM.fullmatch(one)), 0)
    return arguments[begin:]


def _options(arguments: Sequence[str]) -> list[tuple[str, str]]:
    """Each with the argument behind it, unless that is an option, or a path that names what is measured."""
    found = []
    for at, argument in enumerate(arguments):
        if argument.startswith("-"):
            name, _, value = argument.partition("=")
            if name[2:] and name[:2] in _LONG_NAMES:  # -b4k
                name, value = name[:2], name[2:]
            behind = arguments[at + 1] if at + 1 < len(arguments) else ""
            is_path = behind.startswith("/") and not _OUTPUT_FILES.fullmatch(argument)
            is_value = not value and behind[:1] not in ("-", "") and not is_path
            found.append((_LONG_NAMES.get(name, name), value or (behind if is_value else "")))
    return found


def _paths(arguments: Sequence[str]) -> Iterator[str]:
    """Paths that name no file of results."""
    for before, argument in pairwise(arguments):
        if argument.startswith("/") and not _OUTPUT_FILES.fullmatch(before):
            yield argument
