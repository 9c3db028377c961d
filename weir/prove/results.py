"""Results that a program printed, or that whoever started it expects."""

import os
import re
import shlex
import stat
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from weir.base.errors import InputError
from weir.base.units import HintedError, bare_number, parse_rate, three_digits
from weir.collect.imported_files import unread_form
from weir.collect.importing import runs_in
from weir.collect.parsed_runs import messages_of_row
from weir.prove.records import LEAST_BYTES
from weir.records.model import Message, Row
from weir.tools import tools
from weir.tools.base import UNKNOWN_ACCESS
from weir.tools.outputs import read_text

OPTION = "--expect"
_MOST_BYTES_OF_RESULTS = 1 << 20
_RATE = re.compile(r"(?<![\w.,])(\d+(?:\.\d+)?)\s*((?:kB|[MGT]B|[KMGT]iB)/s)\b")
_EXPECTED = re.compile(r"(write|read)\s+(.+)")


@dataclass(frozen=True)
class Claim:
    """One number; who: the program, with the file that has its results, or --expect."""

    who: str
    row: Row
    messages: tuple[Message, ...] = ()
    complete: bool = True


def results_in_files(command: Sequence[str], since_s: float) -> tuple[list[Claim], list[str]]:
    """The results in the first file that the command names and the program wrote, for a program that printed
    none; and lines about files in a form that is not read, and about further files with results, which may
    be the same ones in another form."""
    found: list[Claim] = []
    lines = []
    for name in dict.fromkeys(one.rpartition("=")[2] for one in command[1:]):
        text = _written_text(name, since_s)
        claims = claims_in(text)
        if claims and not found:
            found = [replace(one, who=f"{one.who} in {name}") for one in claims]
        elif claims:
            hint = f"weir prove --output {shlex.quote(name)} -- {shlex.quote(command[0])} ..."
            lines.append(f"not judged: {name} has results of {claims[0].who}, too; hint: {hint}")
        elif form := unread_form(text):
            lines.append(f"not judged: {name} is {form}")
    return found, lines


def _written_text(name: str, since_s: float) -> str:
    """The text of a regular file that was written since then; empty where there is none."""
    with suppress(OSError, ValueError):
        facts = os.stat(name)
        is_new = stat.S_ISREG(facts.st_mode) and facts.st_mtime >= since_s
        if is_new and facts.st_size <= _MOST_BYTES_OF_RESULTS:
            return read_text(Path(name))
    return ""


def hint_of_expect(output: str, rates_mib_s: Mapping[str, float]) -> str:
    """The option by which a number is judged that no tool of weir reads; empty where nothing was counted.
    rates_mib_s: what was counted, by access."""
    if not rates_mib_s:
        return ""
    access = max(rates_mib_s, key=lambda one: rates_mib_s[one])
    printed = _RATE.search(output)
    number = " ".join(printed.groups()) if printed else f"{three_digits(rates_mib_s[access])} MiB/s"
    return f"hint: no result was read from the output; a number is judged by {OPTION} '{access} {number}'"


def claims_in(text: str) -> list[Claim]:
    """Results in the output of a program, as far as some tool of weir reads them."""
    found = []
    for tool, parsed in runs_in(text):
        for index, row in enumerate(parsed.rows):
            if row.get("bw_mib_s") is None and row.get("ops_s") is None:
                continue
            known = row | {"tool": tool, "program": parsed.program}
            known["tool_version"] = parsed.tool_version or None
            known["requested_bytes"] = row.get("requested_bytes") or row.get("moved_bytes")
            is_untold = row["access"] == "write" and row.get("sync") is None
            if is_untold and tools()[tool].habits(known).sync_apart:
                known["sync"] = False
            if row["access"] == UNKNOWN_ACCESS:
                known["access"] = None
                if (row["moved_bytes"] or 0) < LEAST_BYTES:
                    continue
            messages = messages_of_row(parsed, index)
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
    except HintedError as error:
        message = f"is not understood: {error}"
        hint = hint if amount else f"{error.hint}; {hint}"
    raise InputError(message, key=OPTION, value=text, hint=hint)
