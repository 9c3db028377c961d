"""The workload of elbencho's results, as its command or the script around it tells it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

_COMMAND = re.compile(r"^(?:COMMAND LINE: |(?:.{0,80}[$#] )?elbencho +-).*$", re.MULTILINE)
# The scripts for sweeps that come with elbencho name the directory of each data set.
_DATA_SET = re.compile(r"^Working on (/\S{1,4000}) with (\d{1,9}) threads", re.MULTILINE)
BEGIN = re.compile(r"^(?:ISO DATE(?: start)? ?: |Working on /|(?:.{0,80}[$#] )?elbencho +-)", re.MULTILINE)
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
    r"(?:json|csv|res|live\w*)file|live\w*|ops\w*|hosts\w*|threads|dirs|files|block|size|direct|rand|iodepth)"
)
_TREE = ("--dirs", "--files")
_OUTPUT_FILES = re.compile(r"--(?:(?:json|csv|res)file|live(?:csv|json)\w*|opslog\w*|hostsfile)")
_SIZE = re.compile(r"(\d{1,15})([kmgtp]?)(?:i?b)?", re.IGNORECASE)
Facts = dict[str, Any]


def told_before(text: str) -> Facts:
    """The facts in the lines before a table, by the names of the facts of a phase; sync is None where nobody
    knows the options."""
    command, data_set = _COMMAND.search(text), _DATA_SET.search(text)
    if command:
        return of_command(command[0])
    told: Facts = {"sync": None}
    if data_set:
        name, files = data_set[1].rpartition("/")[2], _FILES.fullmatch(data_set[1].rpartition("/")[2])
        workload: Facts = {"job": name, "workers": int(data_set[2])}
        workload |= {"files": int(files[1]), "file_bytes": _bytes(files[2])} if files else {}
        told |= {"path": data_set[1], "workload": _known(workload)}
    return told


def of_command(line: str) -> Facts:
    """The facts that the options of a command before a table settle."""
    arguments = _arguments(line)
    options = dict(_options(arguments))
    workload = {
        "workers": _count(options.get("--threads", "")),
        "file_bytes": _bytes(options.get("--size", "")),
        "options": _others(options) | {name: options[name] for name in _TREE if name in options},
    }
    return {
        "hosts": _hosts(options.get("--hosts", "")),
        "direct": True if "--direct" in options else None,
        "order": "random" if "--rand" in options else "sequential",
        "xfer_bytes": _bytes(options.get("--block", "")),
        "path": _path(arguments),
        "workload": _known(workload),
    }


def of_config(config: Mapping[str, Any], files: int | None) -> Facts:
    """Path and workload of a document, which has the command beside what it settled."""
    arguments = _arguments(str(config.get("command") or ""))
    workload = {
        "job": str(config.get("label") or ""),
        "workers": _count(str(config.get("threads"))),
        "files": files,
        "file_bytes": _bytes(str(config.get("file_size"))),
        "options": _others(dict(_options(arguments))),
    }
    return {"path": _path(arguments), "workload": _known(workload)}


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
    try:
        return shlex.split(line.removeprefix("COMMAND LINE: "))
    except ValueError:
        return [argument.strip('"') for argument in line.split()]


def _options(arguments: Sequence[str]) -> list[tuple[str, str]]:
    """Each with the argument behind it, unless that is an option or a path."""
    found = []
    for at, argument in enumerate(arguments):
        if argument.startswith("-"):
            name, _, value = argument.partition("=")
            behind = arguments[at + 1] if at + 1 < len(arguments) else ""
            is_value = not value and behind[:1] not in ("-", "/", "")
            found.append((_LONG_NAMES.get(name, name), value or (behind if is_value else "")))
    return found


def _path(arguments: Sequence[str]) -> str | None:
    """The first path that names no file of results."""
    for before, argument in pairwise(arguments):
        if argument.startswith("/") and not _OUTPUT_FILES.fullmatch(before):
            return argument
    return None


def _bytes(text: str) -> int | None:
    match = _SIZE.fullmatch(text)
    return int(match[1]) << 10 * " kmgtp".index(match[2].lower() or " ") if match else None


def _count(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else None
