"""Findings and rules, for people (text, Markdown) and for programs; why UNPROVEN records of logs lack
evidence: what it is, why a bare log cannot have it, and what to do."""

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from weir.audit.evidence import EVIDENCE, evidence_table, level_table
from weir.audit.judge import UNPROVEN, names_in, stored_findings, stored_notes
from weir.audit.registry import Rule, rules
from weir.records.columns import columns
from weir.records.model import Finding, Row
from weir.tools import tools


@dataclass(frozen=True)
class Lacking:
    """of_log: why a log does not have it; facts: what a --facts file can add; log: what to do next time."""

    of_log: str
    facts: str = ""
    log: str = "start the program by weir prove, or measure by weir-io: both count it"


LACKING: dict[str, Lacking] = {
    "end": Lacking(
        "A log shows it by its last line or by the exit code, and this one has neither.",
        log="keep all of stdout and stderr, to the last line",
    ),
    "request": Lacking("A log has no plan.", log="measure by weir run"),
    "file-system": Lacking("A log does not tell where its path was mounted.", log="measure by weir run"),
    "bytes": Lacking(
        "A log shows it where its options and its warnings about sizes are kept, for interfaces whose sizes "
        "the program compares.",
        "columns nn, ppn, block_bytes, segments and moved_bytes, where they are known",
        "keep the lines before the table",
    ),
    "file": Lacking(
        "A log has the size of the files where it differs from the request only, and of file formats never.",
        "column file_bytes, as ls -l showed it",
        "keep the files, and add ls -l of them",
    ),
    "sync": Lacking("A log shows that a synchronisation was requested, not that every rank did it."),
    "stored": Lacking("A log cannot have it: the program does not see what the kernel sends to the storage."),
    "fetched": Lacking(
        "A log cannot have it: the program does not see the page cache.",
        "column fetched_bytes, from counters of the client (read_bytes of /proc/PID/io, llite of Lustre); "
        "observed memory_bytes, which finds reads of what the nodes could still hold",
    ),
    "direct": Lacking("A log shows that O_DIRECT was requested, not that the kernel granted it."),
    "operations": Lacking(
        "A log has what the program counted itself; that its calls reached the system, nobody looked."
    ),
    "calls": Lacking("A log does not tell which libraries were loaded."),
    "each-file": Lacking("A log does not tell what the device was written."),
}
_AROUND = (
    "mkdir -p $PWD/reports",
    "weir prove --on DIRECTORY_OF_THE_FILES --reports $PWD/reports -- srun PROGRAM OPTIONS",
)
_NEXT_TIME = ("weir import run.json --out records/records.csv", "weir audit records/records.csv")


def is_of_log(row: Row) -> bool:
    """Records of weir run name the stack that they were measured with."""
    return not row.get("stack")


def lacking(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """Each missing evidence of UNPROVEN records: of how many, what it is, and what can be done about it."""
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        for name in names_in(row.get("missing")) if row.get("verdict") == UNPROVEN else ():
            meaning = EVIDENCE[name].meaning if name in EVIDENCE else ""
            counts: dict[str, Any] = {"records": 0, "of_logs": 0, "tools": []}
            entry = found.setdefault(name, {"evidence": name, "meaning": meaning, **counts})
            entry["records"] += 1
            entry["of_logs"] += is_of_log(row)
            entry["tools"] = sorted({*entry["tools"], *filter(None, [row.get("tool")])})
    for name, entry in found.items():
        if entry["of_logs"] and name in LACKING:
            entry |= vars(LACKING[name])
    return sorted(found.values(), key=lambda entry: (-entry["records"], entry["evidence"]))


def lacking_text(entries: Sequence[dict[str, Any]]) -> str:
    """A paragraph for each evidence; of logs, the lines of a job script that give all of it."""
    if not entries:
        return ""
    parts = ["No rule has a finding about UNPROVEN records; each lacks evidence:"]
    parts += ["\n".join(_lacking_lines(entry)) for entry in entries]
    if commands := next_time(entries):
        lines = "\n".join(f"    {line}" for line in commands)
        parts.append(f"To have it next time, in the job script:\n{lines}")
    if any(entry["of_logs"] for entry in entries):
        lines = "\n".join(f"    {line}" for line in _AROUND)
        parts.append(
            f"Or around the program as it is, whose calls and results are then set side by side:\n{lines}"
        )
    return "\n\n".join(parts)


def next_time(entries: Sequence[dict[str, Any]]) -> list[str]:
    """Lines of a job script that give all of it; none where weir-io has no such tool."""
    names = {tool for entry in entries if entry["of_logs"] for tool in entry["tools"]}
    found = [tools()[name].observing_command for name in sorted(names) if name in tools()]
    commands = [f"srun {command}" for command in found if command]
    return [*commands, *_NEXT_TIME] if commands else []


def _lacking_lines(entry: dict[str, Any]) -> list[str]:
    sentences = [f"{entry['meaning'][:1].upper()}{entry['meaning'][1:]}."] if entry["meaning"] else []
    if "of_log" in entry:
        sentences.append(entry["of_log"])
        added = entry["facts"]
        sentences.append(f"--facts can add: {added}." if added else "--facts cannot add it.")
        sentences.append(f"Next time: {entry['log']}.")
    return [f"without {entry['evidence']}: {entry['records']:,} records", *_wrapped(" ".join(sentences))]


Example = dict[str, Any]
_EXAMPLES = 3
_RANKS = {verdict: rank for rank, verdict in enumerate(("INVALID", "DEGRADED", "NOTE"))}
_WIDTH = 100
_MANUAL_HEAD = """\
# The audit

For readers of records who want to know what a verdict rests on.

Every record carries one of four verdicts:

{verdicts}

Each rule compares what was requested with what was observed and returns *passed*, *not observable* or a
finding: a note, DEGRADED or INVALID. A note leaves the verdict alone. The columns of a record: `reasons`
and `evidence` (findings), `notes`, `checked` (rules that passed), `missing` (missing evidence). Records are
flagged, never dropped. A table that carries verdicts keeps them when it is imported.

`weir audit --rules` prints this page from weir/audit/rules, where comments have the exceptions of each rule.
Rules marked *also of a table* need no raw files of a run; `weir audit` of a table keeps the findings of the
others, `weir collect` runs them again.

## Minimum evidence

Evidence is there if one of its rules passed. In the memory of a node, the proof is that the file system is
one of memory and holds the bytes. An import of a bare log is mostly UNPROVEN: it does not tell what the
caches did.
"""
_LEVELS_HEAD = """
## How far a record is proven

The column `proof` of a VALID record. Each level resists accidents (a full cache, a dropped option) in what it
covers, convenience (a mount option, a preloaded library) as the table states, and intent as far as nobody
edits outputs, which `weir verify` and a signature show. What [weir cannot see](zoo.md#what-weir-cannot-see)
is excluded, and root on the client, who can change what the kernel counts.

"""
_KERNELS = """
## What the release of the kernel changes

A rule without its counter is *not observable*, and a record that needs it is UNPROVEN. Linux 6.1 and 6.18
have one verdict for each honest and false result of `weir prove` in tests/lab/test_kernels.py.

- **Before Linux 5.5** flushes of disks are not counted: syncs-not-at-device has the calls alone.
- **Before Linux 6.5** unwritten pages are not counted (cachestat): the device alone shows a synchronisation
  that did nothing, and [beside another user of it nobody does](zoo.md#what-weir-cannot-see).
- **Before Linux 6.7** waits of TCP connections are not counted: the ranks alone tell pauses of servers.
- **XFS since Linux 5.18, ext4 since 6.16** have large pages (folios) of up to 2 MiB. The kernel counts one as
  a whole where a call writes a part of it (write_bytes, cachestat), which proves no more than calls and
  devices had.
- **Since Linux 6.5** a queue of io_uring needs no mapping: as those of liburing, it is known by the bytes
  that the kernel counted beyond the calls.
"""
_RULES_HEAD = """
## Rules

Each begins with the verdicts that its findings can have.
"""
_UNKNOWN = "This weir has no such rule; the records were audited by another version."


def triggered(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """Each rule with findings: how often, about what, why it matters and what to do; most frequent first."""
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        for finding in [*stored_findings(row), *stored_notes(row)]:
            rule = rules().get(finding.rule)
            entry = found.setdefault(
                finding.rule,
                {
                    "rule": finding.rule,
                    "records": 0,
                    "verdicts": {},
                    "explanation": rule.explanation if rule else _UNKNOWN,
                    "hint": hint_of(rule, is_of_log(row)) if rule else "",
                    "examples": [],
                },
            )
            entry["records"] += 1
            entry["verdicts"][finding.verdict] = entry["verdicts"].get(finding.verdict, 0) + 1
            entry["examples"] = chosen_examples(entry["examples"], [_example(row, finding)])
    return sorted(found.values(), key=lambda entry: (-entry["records"], entry["rule"]))


def chosen_examples(known: Sequence[Example], more: Iterable[Example]) -> list[Example]:
    """The first ones of the worst verdicts: a note does not show why a record is degraded."""
    found = [*known, *(one for one in more if one not in known)]
    return sorted(found, key=lambda one: _RANKS.get(one["verdict"], len(_RANKS)))[:_EXAMPLES]


def _example(row: Row, finding: Finding) -> Example:
    """A record with a finding; one of a log has the log's name, since many logs have one label."""
    log = {"source": row["source"]} if is_of_log(row) and row.get("source") else {}
    about = {"label": row.get("label"), "access": row["access"]}
    return log | about | {"verdict": finding.verdict, "evidence": finding.evidence}


def example_text(example: Mapping[str, Any]) -> str:
    """The log, the cell and what was seen."""
    log = f"{example['source']}: " if "source" in example else ""
    return f"{log}{example['label']}, {example['access']}: {example['evidence']}"


def hint_of(rule: Rule, of_log: bool) -> str:
    """The hint of a rule; a log has one of its own, because no suite can be changed."""
    return rule.log_hint if rule.log_hint and of_log else rule.hint


def as_text(entries: Sequence[dict[str, Any]]) -> str:
    """A paragraph for each rule."""
    return "\n\n".join("\n".join(_lines(entry)) for entry in entries)


def _lines(entry: dict[str, Any]) -> list[str]:
    verdicts = ", ".join(f"{count} {verdict}" for verdict, count in sorted(entry["verdicts"].items()))
    lines = [f"{entry['rule']}: {verdicts}", *_wrapped(entry["explanation"])]
    lines += _wrapped(f"hint: {entry['hint']}") if entry["hint"] else []
    return lines + [f"  - {example_text(one)}" for one in entry["examples"]]


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)


def manual() -> str:
    """docs/audit.md: every rule, from its docstring."""
    verdicts = [f"- **{name}**: {text}." for name, text in columns()["verdict"].meanings.items()]
    head = _MANUAL_HEAD.replace("{verdicts}", "\n".join(verdicts)).splitlines()
    lines = [*head, "", *evidence_table(), *_LEVELS_HEAD.splitlines(), *level_table()]
    lines += [*_KERNELS.splitlines(), *_RULES_HEAD.splitlines()]
    for rule in rules().values():
        source = "" if rule.needs_output else ", also of a table"
        lines += ["", f"## {rule.id}", "", f"*{' or '.join(rule.verdicts)}{source}.* {rule.explanation}"]
        lines += ["", f"**Hint:** {rule.hint}"]
        lines += ["", f"**Of a log:** {rule.log_hint}"] if rule.log_hint else []
    return "\n".join(lines) + "\n"
