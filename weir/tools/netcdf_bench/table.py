"""Reads the output of benchtool: its table, mixed with lines of the ranks and of libraries that fail.

A row of the table has the least, the mean and the greatest of the ranks. The record takes the slowest rank:
the greatest times and the least bandwidth. benchtool prints no total time; it is the data size over that
bandwidth. It always divides the whole data size, also where its blocks are smaller than what the ranks have.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import prod
from typing import Any

from weir.terms.model import Message, Parsed, Row
from weir.terms.printed_values import real_or_text, whole
from weir.tools.complaints import complaint, without_repeats
from weir.tools.netcdf_bench.geometry import Shape

_MIB = 2**20
START = re.compile(
    r"^(?:Benchtool|weir-io (?P<version>\S+) netcdf-bench: .*?) ?\((?:datatype): (?P<type>\w+)", re.M
)
_RANK = re.compile(r"(?<!\d)(\d+) pretents to be (\d+) on file (\S+)")
_SHAPE = re.compile(
    r"^(Data|Block|Chunk) geometry \(t:x:y:z x sizeof\(type\)\)\s+(\d+):(\d+):(\d+):(\d+) x (\d+) bytes", re.M
)
_FACT = re.compile(r"^(I/O Access|Storage|File length|Fill value|File value) +(\w+)$", re.M)
_NUMBER = r"(\d+\.\d{10})"
_ROW = re.compile(
    rf"benchmark:(?P<access>write|read) +(?P<what>Open time|I/O time|Close time|I/O Performance)"
    rf"(?P<pure> \(w/o open/close\))? +{_NUMBER} +{_NUMBER} +{_NUMBER} (?:secs|MiB/s)"
)
_DIFFERENCE = re.compile(r"^ERROR \S+ \(read\) != \S+ \(expected\)", re.M)
_FAILED = re.compile(r"^(Error in .*|Error (?:option|invalid argument).*|Invalid options.*)$")
_VERDICT = re.compile(r"^TEST (PASSED|FAILED) \[\d+\]", re.M)
_TIMES = {"Open time": "open_s", "I/O time": "io_s", "Close time": "close_s"}


def starts_in(text: str) -> list[int]:
    """The begins of the runs in a log."""
    return [match.start() for match in START.finditer(text)]


def messages_in(text: str) -> list[Message]:
    """Complaints of benchtool, the libraries and the launcher."""
    found = []
    for line in text.splitlines():
        failed = _FAILED.match(line)
        message = Message("error", failed[1]) if failed else complaint(line)
        if message is not None:
            found.append(message)
    different = len(_DIFFERENCE.findall(text))
    if different:
        found.append(Message("error", f"Incorrect data on read ({different} values differ)"))
    elif "TEST FAILED" in text:
        found.append(Message("error", "Incorrect data on read (TEST FAILED)"))
    return without_repeats(found)


def parsed_table(text: str) -> Parsed:
    """One execution. It has no last line: whole is what has all rows of its tables and no error."""
    whole = text if text.endswith("\n") else text[: text.rfind("\n") + 1]
    start = START.search(whole)
    if start is None:
        return Parsed((), {}, tuple(messages_in(whole)), program="", tool_version="", complete=False)
    requested = _requested(whole, start["type"])
    rows, halves = _rows(whole, requested)
    messages = tuple(messages_in(whole))
    results = bool(rows) or _VERDICT.search(whole) is not None
    return Parsed(
        rows=tuple(rows),
        requested=requested,
        messages=messages,
        program="weir-io" if start["version"] else "benchtool",
        tool_version=start["version"] or "",
        complete=results and not halves and not any(message.level == "error" for message in messages),
    )


def _requested(text: str, type_name: str) -> dict[str, Any]:
    requested: dict[str, Any] = {"type": type_name}
    for name, *numbers in _SHAPE.findall(text):
        values = [whole(number) for number in numbers]
        if all(values):
            requested[f"{name.lower()}_shape"] = tuple(values[:4])
            requested["value_bytes"] = values[4]
    facts = dict(_FACT.findall(text))
    requested |= {
        key: facts[name] == word
        for name, key, word in (
            ("I/O Access", "collective", "collective"),
            ("File length", "unlimited", "unlimited"),
            ("Fill value", "fill", "yes"),
            ("File value", "fill", "yes"),
        )
        if name in facts
    }
    ranks = [whole(rank) or 0 for rank, _, _ in _RANK.findall(text)]
    files = {file for _, _, file in _RANK.findall(text)}
    if ranks:
        requested["tasks"] = max(ranks) + 1
    if len(files) > 1 or requested.get("tasks", 1) > 1:
        requested["layout"] = "file-per-process" if len(files) > 1 else "shared"
    return requested


def _rows(text: str, requested: Mapping[str, Any]) -> tuple[list[Row], bool]:
    """Rows of the tables that are whole, and whether there is one that is not."""
    tables: dict[str, dict[str, float | str]] = {}
    for match in _ROW.finditer(text):
        least, greatest = real_or_text(match[4]), real_or_text(match[6])
        table = tables.setdefault(match["access"], {})
        if match["what"] in _TIMES:
            table[_TIMES[match["what"]]] = greatest
        elif not match["pure"]:
            table["bw_mib_s"] = least
    complete = {access: table for access, table in tables.items() if len(table) == len(_TIMES) + 1}
    return [_row(access, table, requested) for access, table in complete.items()], len(complete) < len(tables)


def _row(access: str, table: Mapping[str, float | str], requested: Mapping[str, Any]) -> Row:
    data: Shape | None = requested.get("data_shape")
    block: Shape | None = requested.get("block_shape")
    value_bytes: int = requested.get("value_bytes", 0)
    data_bytes = prod(data) * value_bytes if data else None
    block_bytes = prod(block) * value_bytes if block else None
    bw_mib_s = table["bw_mib_s"]
    row: Row = {
        "api": "NETCDF4",
        "access": access,
        "iteration": 0,
        "layout": requested.get("layout"),
        "order": "sequential",
        "xfer_bytes": block_bytes,
        "block_bytes": block_bytes,
        "stonewall_s": 0.0,
        "collective": requested.get("collective"),
        "sync": False,
        "direct": False,
        "chunking": _chunking(requested),
        "fill": requested.get("fill"),
        "unlimited": requested.get("unlimited"),
        "deflate_level": None,  # it does not print it
        "requested_bytes": data_bytes,
        "moved_bytes": _moved_bytes(requested, data, block, block_bytes),
    }
    row |= dict(table)
    if data_bytes and isinstance(bw_mib_s, float) and bw_mib_s > 0:
        row["total_s"] = data_bytes / _MIB / bw_mib_s
    row["observed"] = {"tasks": requested["tasks"]} if "tasks" in requested else {}
    return row


def _moved_bytes(
    requested: Mapping[str, Any], data: Shape | None, block: Shape | None, block_bytes: int | None
) -> int | None:
    """Each rank moves one block for each time step of blocks, whatever else the data has."""
    tasks: int | None = requested.get("tasks")
    if not (data and block and block_bytes and tasks):
        return None
    return tasks * (data[0] // block[0]) * block_bytes


def _chunking(requested: Mapping[str, Any]) -> str | None:
    if "chunk_shape" in requested:
        return ":".join(map(str, requested["chunk_shape"]))
    # An unlimited variable has chunks of the library's choice, which benchtool calls contiguous.
    return "contiguous" if requested.get("unlimited") is False else None
