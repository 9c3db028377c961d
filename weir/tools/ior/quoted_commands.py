"""The command of a table of IOR that a page quotes without the lines above it: the one that stands before the
table, where the numbers of the table are those of the command."""

import re
from collections import Counter
from typing import Any

from weir.records.printed_values import product_contains, real
from weir.tools.ior.arguments import parse_arguments
from weir.tools.ior.log import Test
from weir.tools.outputs import LINE_BYTES

_COMMAND = re.compile(r"^(?P<launch>.*\s)?(?P<command>(?:\S*/)?ior(?: +[^\n]*)?)$", re.MULTILINE)
_PROMPT = re.compile(r"^\s*\[?[\w.@~/: -]{0,80}\]?[$#%>] +")
_RANKS = re.compile(r"(?:^|\s)(?:-np?|--np|--ntasks)(?: +|=)(\d{1,7})(?=\s)")
_OPTION = re.compile(r" -\w")
_FILE = re.compile(r"\s-o[ =]?\S+")
_OPEN = re.compile(r"[$`<{|;&]")  # what a reader, or a shell, puts another word for
_MIB = 2**20


def quoted_command(test: Test, log: str, begin: int) -> tuple[str, dict[str, Any]]:
    """The command of a table, and the tasks it was launched with. Nothing where the text between begin, the
    end of the table before it, and the table has none or several, or where the numbers of both differ."""
    text = log[max(begin, test.place - LINE_BYTES) : test.place].replace("\\\n", " ")
    is_printed = test.results and not any("tasks" in result.values for result in test.results)  # no CSV
    lines = _COMMAND.finditer(text) if log and is_printed else ()
    launches = [(_PROMPT.sub("", one["launch"] or ""), one["command"]) for one in lines]
    found = [(launch, command, _RANKS.search(launch)) for launch, command in launches]
    # A sentence may end with the name of the program.
    found = [one for one in found if one[2] or _OPTION.search(one[1])]
    if len(found) != 1:
        return "", {}
    ((launch, command, ranks),) = found
    if not ranks or _OPEN.search(_FILE.sub("", launch + command)):
        return "", {}
    tasks = int(ranks[1])
    return (command, {"tasks": tasks}) if _is_of(test, parse_arguments(command), tasks) else ("", {})


def _is_of(test: Test, requested: dict[str, Any], tasks: int) -> bool:
    """Whether each access has as many results as iterations, and rate and time of each are those of all bytes
    that the tasks move."""
    counts = Counter(result.access for result in test.results)
    block_bytes, segments = requested.get("block_bytes"), requested.get("segments")
    if not block_bytes or not segments or requested.get("stonewall"):
        return False
    if counts.keys() - set(requested["access"]):
        return False
    moved_mib = tasks * block_bytes * segments / _MIB
    numbers = [tuple(real(result.values.get(name)) for name in ("bw", "total")) for result in test.results]
    are_all = set(counts.values()) == {requested["iterations"]}
    return are_all and all(
        rate is not None and total_s is not None and product_contains(rate, total_s, moved_mib)
        for rate, total_s in numbers
    )
