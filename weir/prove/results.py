"""Results that a program printed, or that whoever started it expects."""

from __future__ import annotations

import os
import re
import shlex
import stat
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from weir.base.errors import WeirError
from weir.base.units import UnitError, bare_number, parse_rate
from weir.prove.records import LEAST_BYTES
from weir.records.log_runs import runs_in
from weir.records.text_kinds import unread_form
from weir.terms.model import Message, Row
from weir.tools import tools
from weir.tools.base import UNKNOWN_ACCESS
from weir.tools.outputs import read_text

OPTION = "--expect"
_MOST_BYTES_OF_RESULTS = 1 << 20
_EXPECTED = re.compile(r"(write|read)\s+(.+)")


@dataclass(frozen=True)
class Claim:
    """One number; who: the program, or --expect."""

    who: str
    row: Row
    messages: tuple[Message, ...] = ()
    complete: bool = True


def unread_results(command: Sequence[str], since_s: float, output: str) -> Iterator[str]:
    """Hints at output in a form that is not read, and at files that the command names and wrote, and that
    have results."""
    if form := unread_form(output):
        yield f"not judged: its output is {form}"
    for name in dict.fromkeys(one.rpartition("=")[2] for one in command[1:]):
        with suppress(OSError, ValueError):
            facts = os.stat(name)
            if (
                not stat.S_ISREG(facts.st_mode)
                or not since_s <= facts.st_mtime
                or facts.st_size > _MOST_BYTES_OF_RESULTS
            ):
                continue
            text = read_text(Path(name))
            found = claims_in(text)
            if not found and (form := unread_form(text)):
                yield f"not judged: {name} is {form}"
            if found:
                hint = f"weir prove --output {shlex.quote(name)} -- {shlex.quote(command[0])} ..."
                yield f"not judged: {name} has results of {found[0].who}; hint: {hint}"


def claims_in(text: str) -> list[Claim]:
    """Results in the output of a program, as far as some tool of weir reads them."""
    found = []
    for tool, parsed in runs_in(text):
        for index, row in enumerate(parsed.rows):
            if row.get("bw_mib_s") is not None or row.get("ops_s") is not None:
                messages = tuple(one for one in parsed.messages if one.row in (None, index))
                program = {
                    "tool": tool,
                    "program": parsed.program,
                    "tool_version": parsed.tool_version or None,
                }
                known = row | program
                known["requested_bytes"] = row.get("requested_bytes") or row.get("moved_bytes")
                if (
                    row["access"] == "write"
                    and row.get("sync") is None
                    and tools()[tool].habits(known).sync_apart
                ):
                    known["sync"] = False
                if row["access"] == UNKNOWN_ACCESS:
                    known["access"] = None
                    if (row["moved_bytes"] or 0) < LEAST_BYTES:
                        continue
                found.append(Claim(parsed.program, known, messages, parsed.complete))
    return found


def expected(text: str) -> Claim:
    """Reads the claim of --expect 'write 3.2 GiB/s'."""
    match = _EXPECTED.fullmatch(text.strip())
    access, rate = match.groups() if match else ("write", "")
    amount = bare_number(rate)
    message, hint = "is not understood", f"such as: {OPTION} '{access} {amount or 3.2} GiB/s'"
    try:
        if match:
            return Claim(OPTION, {"access": access, "bw_mib_s": parse_rate(rate)})
    except UnitError as error:
        message = f"is not understood: {error}"
        hint = hint if amount else f"{error.hint}; {hint}"
    raise WeirError(message, key=OPTION, value=text, hint=hint, exit_code=2)
