"""The totals that a report states about all records and runs of a study, counted as they come, so that rows
need not be kept."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from weir.audit.explain import chosen_examples, hint_of, triggered
from weir.audit.judge import UNPROVEN, VERDICTS, names_in
from weir.audit.registry import rules
from weir.base.units import about_size, counted
from weir.records.model import Row

MACHINE_KEYS = ("node", "kernel", "system", "processor", "cores", "memory_bytes", "power")  # power: the last
_READ_AS = {"memory_bytes": "memory", "power": "power of the processors"}
NOT_KNOWN = "frequency not known"


@dataclass
class Tally:
    """Counts of rows, and the distinct facts of runs."""

    records: int = 0
    cells: set[str] = field(default_factory=set)
    verdicts: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    missing: Counter[str] = field(default_factory=Counter)
    findings: dict[str, dict[str, Any]] = field(default_factory=dict)
    programs: set[tuple[str, str]] = field(default_factory=set)  # stack, program with its version or image
    machines: dict[tuple[Any, ...], None] = field(default_factory=dict)
    file_systems: dict[str, Mapping[str, Any]] = field(default_factory=dict)  # by target
    slow_nodes: dict[tuple[str, str], float] = field(default_factory=dict)
    seeds: set[int] = field(default_factory=set)
    began: str | None = None
    ended: str | None = None
    runs: int = 0
    failed_runs: int = 0

    @classmethod
    def of_rows(cls, rows: Sequence[Row]) -> "Tally":
        tally = cls()
        tally.add_rows(count_rows(rows))
        return tally

    def add(self, counts: Mapping[str, Any]) -> None:
        """The result of data(), or of count_rows and facts_of_run together."""
        self.add_rows(counts)
        self.add_run(counts)

    def add_rows(self, counts: Mapping[str, Any]) -> None:
        """The result of count_rows for some more rows."""
        self.records += counts["records"]
        self.cells.update(counts["cells"])
        self.verdicts.update(counts["verdicts"])
        self.reasons.update(counts["reasons"])
        self.missing.update(counts["missing"])
        self.programs.update((stack, program) for stack, program in counts["programs"])
        for rule, more in counts["findings"].items():
            entry = self.findings.setdefault(rule, {"verdicts": Counter(), "examples": []})
            entry["verdicts"].update(more["verdicts"])
            entry["examples"] = chosen_examples(entry["examples"], more["examples"])

    def add_run(self, facts: Mapping[str, Any]) -> None:
        """The result of facts_of_run for one more run."""
        self.runs += facts["runs"]
        self.failed_runs += facts["failed_runs"]
        for machine in facts["machines"]:
            self.machines[tuple(machine)] = None
        for target, file_system in facts["file_systems"].items():
            self.file_systems.setdefault(target, file_system)
        self.programs.update((stack, image) for stack, image in facts.get("images", ()))
        self.seeds.update(facts["seeds"])
        self.began = min(filter(None, (self.began, facts["began"])), default=None)
        self.ended = max(filter(None, (self.ended, facts["ended"])), default=None)
        for node, kind, ratio in facts["slow_nodes"]:
            self.slow_nodes[node, kind] = max(self.slow_nodes.get((node, kind), 0.0), ratio)

    def data(self) -> dict[str, Any]:
        """All of it for add(), in the order in which it came."""
        return vars(self) | {"slow_nodes": [(*place, ratio) for place, ratio in self.slow_nodes.items()]}

    def triggered(self) -> list[dict[str, Any]]:
        """Each rule with findings, most frequent first, as weir.audit.explain gives it for rows."""
        entries = [
            {
                "rule": name,
                "records": entry["verdicts"].total(),
                "verdicts": dict(entry["verdicts"]),
                "explanation": rules()[name].explanation if name in rules() else "",
                "hint": hint_of(rules()[name], of_log=self.runs == 0) if name in rules() else "",
                "examples": entry["examples"],
            }
            for name, entry in self.findings.items()
        ]
        return sorted(entries, key=lambda entry: (-entry["records"], entry["rule"]))

    def summary(self) -> dict[str, Any]:
        """Records by verdict, by reason, and of the unproven ones by the evidence that is missing."""
        authors = self.findings.get("authors-verdict")
        return {
            "records": self.records,
            "cells": len(self.cells),
            "verdicts": {verdict: self.verdicts[verdict] for verdict in VERDICTS},
            "reasons": dict(self.reasons.most_common()),
            "missing": dict(self.missing.most_common()),
            "authors_verdicts": authors["verdicts"].total() if authors else 0,
        }


def count_rows(rows: Sequence[Row]) -> dict[str, Any]:
    """Plain data for Tally.add_rows."""
    unproven = [row for row in rows if row["verdict"] == UNPROVEN]
    return {
        "records": len(rows),
        "cells": sorted({row["cell"] for row in rows}) if rows and "cell" in rows[0] else [],
        "verdicts": Counter(row["verdict"] for row in rows),
        "reasons": Counter(_words(row.get("reasons") for row in rows)),
        "missing": Counter(_words(row.get("missing") for row in unproven)),
        "programs": sorted(
            {
                (row["stack"], f"{row['program']} {row['tool_version']}")
                for row in rows
                if row.get("stack") and row.get("program") and row.get("tool_version")
            }
        ),
        "findings": {
            one["rule"]: {"verdicts": one["verdicts"], "examples": one["examples"]} for one in triggered(rows)
        },
    }


def machine_of(host: Mapping[str, Any]) -> dict[str, Any]:
    """The description of a node, from the host of a run.json; power as a text, without the momentary
    frequency."""
    return {key: host.get(key) for key in MACHINE_KEYS} | {"power": power_text(host.get("power"))}


def power_text(power: Mapping[str, Any] | None) -> str | None:
    """The settings, which are the same until somebody changes them; None: a run that did not record them."""
    return None if power is None else ", ".join(_power_parts(power))


def _power_parts(power: Mapping[str, Any]) -> Iterator[str]:
    if power["drivers"] or power["governors"]:
        yield f"governor {' and '.join(power['governors']) or 'not known'}"
        yield f"driver {' and '.join(power['drivers']) or 'not known'}"
    else:
        yield NOT_KNOWN
    if power["preferences"]:
        yield f"preference {' and '.join(power['preferences'])}"
    if power["least_mhz"] is not None and power["most_mhz"] is not None:
        yield f"{power['least_mhz']:.0f} to {power['most_mhz']:.0f} MHz"
    if power["boost"] is not None:
        yield f"boost {'on' if power['boost'] else 'off'}"
    if power["idle"]:
        yield f"idle states by {' and '.join(power['idle'])}"
    if power["idle_disabled"]:
        yield f"without {', '.join(power['idle_disabled'])}"
    if power["profile"]:
        yield f"profile {power['profile']}"
    yield from (f"{name} at most {limit:g} W" for name, limit in sorted(power["limits_w"].items()))


def described(machine: Mapping[str, Any]) -> dict[str, str]:
    """The keys and values by which a reader distinguishes kinds of machines."""
    known = {key: machine[key] for key in MACHINE_KEYS[1:] if machine.get(key) is not None}
    return {
        _READ_AS.get(key, key): about_size(value) if key == "memory_bytes" else str(value)
        for key, value in known.items()
    }


def facts_of_run(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Plain data for Tally.add_run, of a run.json."""
    host = facts["host"]
    slow = host.get("slow_nodes") or ()
    return {
        "runs": 1,
        "failed_runs": int(facts["status"] != "done"),
        "machines": [list(machine_of(host).values())],
        "file_systems": {facts["cell"]["target"]: _storage(host)},
        "images": [
            (facts["cell"]["stack"], f"{Path(image).name} (SHA-256 {digest})")
            for image, digest in facts.get("images", {}).items()
        ],
        "seeds": [facts["seed"]],
        "began": facts["began"],
        "ended": facts["ended"],
        "slow_nodes": [(item["node"], item["kind"], item["time_s"] / item["median_s"]) for item in slow],
    }


def _storage(host: Mapping[str, Any]) -> dict[str, Any]:
    """The file system of the target, the links to its servers and their memory."""
    behind = {key: host.get(key) for key in ("links_mbit_s", "server_memory_bytes")}
    return {**(host.get("file_system") or {}), **behind}


def _words(texts: Iterable[str | None]) -> list[str]:
    return [name for text in texts for name in names_in(text)]


def summarise(rows: Sequence[Row], out: Path) -> dict[str, Any]:
    """Records by verdict, by reason, and of the unproven ones by the evidence that is missing."""
    return {"out": str(out), **Tally.of_rows(rows).summary()}


def describe(summary: Mapping[str, Any]) -> str:
    """One line of counts, then the reasons and the missing evidence."""
    counts = verdict_counts(summary["verdicts"])
    many = f"{counted(summary['records'], 'record')} of {counted(summary['cells'], 'cell')}"
    head = f"{summary['out']}: {many}: {counts}"
    lines = [head + read_text(summary.get("read"))]
    if authors := summary["authors_verdicts"]:
        lines.append(f"  {authors:6d} with the verdict of the table's author, not of this audit")
    lines += [f"  {count:6d} x {reason}" for reason, count in summary["reasons"].items()]
    lines += [f"  {count:6d} without evidence: {name}" for name, count in summary["missing"].items()]
    return "\n".join(lines)


def verdict_counts(verdicts: Mapping[str, int]) -> str:
    """Such as 3 VALID, 0 UNPROVEN, 1 DEGRADED, 0 INVALID."""
    return ", ".join(f"{count} {verdict}" for verdict, count in verdicts.items())


def read_text(counts: Mapping[str, int] | None) -> str:
    """The end of the headline of imported logs, where not all files were read."""
    if not counts or counts["read"] == counts["files"]:
        return ""
    refused = f", {counts['refused']} refused" if counts["refused"] else ""
    return f"; {counts['read']} of {counts['files']} files read{refused}"
