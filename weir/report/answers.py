"""The top of a page without R: facts about the measurement, from the facts.json that the analysis in R
reads; the best point of each target and access, small random transfers; counts of verdicts, of how far
proofs go, and of findings."""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from weir.audit.explain import hint_of
from weir.audit.judge import USABLE, VALID, VERDICTS, names_in
from weir.audit.registry import rules
from weir.base.units import about_size
from weir.records.columns import columns
from weir.records.model import Row
from weir.report.points import MOST_POINTS, Points, size_text

Known = Mapping[str, Any]


def page_of(facts: Known, name: str, counts: "Counts", points: Points) -> dict[str, Any]:
    """The content of every page without R; facts: facts.json of the study of this name."""
    shown = points.facts()
    return {
        "study": _study(facts, name),
        "verdicts": counts.verdicts(),
        "doubted": counts.doubted(),
        "targets": _targets(facts, shown),
        "answers": answers(points),
        "points": shown[:MOST_POINTS],
        "points_total": len(shown),
    }


def _study(facts: Known, name: str) -> dict[str, Any]:
    """The facts, like page_study() of analysis/R/page.R."""
    site, about = facts.get("site"), facts.get("about") or {}
    machines, suites = facts.get("machines") or [], facts.get("suites") or []
    machine = machines[0] if machines else {}
    memory = machine.get("memory_bytes")
    return {
        "name": name,
        "site": (site or {}).get("site") or "",
        "description": (site or {}).get("description") or "",
        **{key: about.get(key) or "" for key in ("title", "citation", "system")},
        "archived": site is None,
        "question": suites[0]["question"] if suites else "",
        "suites": ", ".join(map(_suite, suites)),
        "host": machine.get("node") or "",
        "processor": machine.get("processor") or "",
        "cores": machine.get("cores"),
        "memory": about_size(memory) if memory else "",
        "kernel": machine.get("kernel") or "",
        "nodes": len(machines),
        "began": facts.get("began") or "",
        "weir": facts.get("weir_version") or "",
        "executions": facts.get("finished_executions"),
        "failed": facts.get("failed_executions"),
        "digest": facts.get("digest") or "",
    }


def _suite(one: Known) -> str:
    return f"{one['suite']} (scale {one['scale']})" if one.get("scale") else str(one["suite"])


def _targets(facts: Known, points: Iterable[Known]) -> list[dict[str, Any]]:
    """The targets with points: real storage first, the memory of the node, a ceiling, after the rest."""
    known = {str(one["target"]): one for one in facts.get("targets") or ()}
    found = dict.fromkeys((str(one["target"]), bool(one["emulated"])) for one in points)
    kept = ("kind", "file_system", "device", "path", "description")
    rows = [
        {"name": name, "emulated": emulated} | {key: known.get(name, {}).get(key) or "" for key in kept}
        for name, emulated in found
    ]
    return sorted(rows, key=lambda one: (one["emulated"], one["kind"] == "memory"))


_SMALL_BYTES = 65536
_MOST_VALUES = 20
Facts = dict[str, Any]


def answers(points: Points) -> list[Facts]:
    """The answers of a page, chosen as page_answers() of analysis/R/page_points.R does."""
    storage, settings = points.of_storage(), points.settings()
    measured = [
        point.facts(settings[key]) | {"about": point.about}
        for key, point in points.found.items()
        if key in storage
    ]
    usable = [one for one in measured if one["n"] and one["verdict"] in USABLE]
    groups = dict.fromkeys((one["target"], one["emulated"], one["access"]) for one in usable)
    return [_answer(group, usable, measured) for group in groups]


def _answer(group: tuple[str, bool, str], usable: Sequence[Facts], measured: Sequence[Facts]) -> Facts:
    def of_group(some: Sequence[Facts]) -> list[Facts]:
        return [one for one in some if (one["target"], one["emulated"], one["access"]) == group]

    mine = of_group(usable)
    random = [one for one in mine if one["about"]["order"] == "random" and one["xfer"] is not None]
    small = max((one for one in random if one["xfer"] <= _SMALL_BYTES), key=_median, default=None)
    used = {one["api"] for one in mine}
    return {
        "target": group[0],
        "emulated": group[1],
        "access": group[2],
        "best": _row(max(mine, key=_median)) | {"alternatives": len(mine), "tied": None},
        "small": _row(small) if small else None,
        "tail": _tail(small) if small and small["p99"] is not None else None,
        "others": sorted(one["median"] for one in mine),
        "interfaces": [_interface([one for one in mine if one["api"] == api]) for api in sorted(used)],
        "unusable": sorted({str(one["api"]) for one in of_group(measured)} - used),
    }


def _median(one: Mapping[str, Any]) -> float:
    return float(one["median"])


def _row(one: Facts) -> Facts:
    about = one["about"]
    shape = f"{about['nn']:g}\u00d7{about['ppn']:g}" if about["nn"] and about["ppn"] else ""
    return {
        "value": one["median"],
        **{name: one[name] for name in ("lo", "hi", "n", "setting", "iops", "verdict", "cell", "size")},
        "values": one["values"][:_MOST_VALUES],
        "unit": "MiB/s",
        "short": ", ".join(filter(None, (one["api"], size_text(one["xfer"]), shape))),
    }


def _tail(one: Facts) -> Facts:
    """note: as note_of_tail() of analysis/R/page_points.R."""
    synced = one["access"] == "write" and one["about"]["sync"] is True
    return {
        "value": one["p99"],
        "unit": "us",
        "setting": one["setting"],
        "cell": one["cell"],
        "note": "the rate includes the final synchronisation, this time does not" if synced else None,
    }


def _interface(some: Sequence[Facts]) -> Facts:
    """The best point of an interface, with the medians of its other settings."""
    top = max(some, key=_median)
    kept = {name: top[name] for name in ("api", "lo", "hi", "n", "setting", "verdict", "values", "cell")}
    return kept | {"value": top["median"], "others": [one["median"] for one in some if one is not top]}


_BUSY, _AUTHORS = "machine-busy", "authors-verdict"


class _Record(NamedTuple):
    emulated: bool
    verdict: str
    proof: str
    reasons: tuple[str, ...]
    notes: tuple[str, ...]

    def has(self, rule: str) -> bool:
        return rule in self.reasons or rule in self.notes


class Counts:
    """The counts of all records so far; a run that is added again replaces what it had."""

    def __init__(self, of_logs: bool = False) -> None:
        self._of_logs = of_logs
        self._found: dict[Hashable, Sequence[_Record]] = {}

    def add(self, run: Hashable, rows: Iterable[Row]) -> None:
        self._found[run] = tuple(map(_record, rows))

    def verdicts(self) -> dict[str, Any]:
        """The verdicts, like page_verdicts() of analysis/R/page.R."""
        records = list(chain.from_iterable(self._found.values()))
        real = [one for one in records if not one.emulated]
        authors = sum(one.has(_AUTHORS) for one in records)
        proofs = Counter(one.proof for one in real or records)
        texts = columns()["proof"].texts
        return {
            "real": _by_verdict(real),
            "emulated": _by_verdict([one for one in records if one.emulated]),
            "proofs": []
            if authors
            else [{"count": proofs[level], "text": text} for level, text in texts.items() if proofs[level]],
            "authors": authors,
            "busy": sum(one.has(_BUSY) for one in real),
        }

    def doubted(self) -> list[dict[str, Any]]:
        """Why records are not VALID, commonest on real storage first."""
        found: dict[str, dict[str, Any]] = {}
        for one in chain.from_iterable(self._found.values()):
            for name in set(one.reasons) - {_AUTHORS}:
                entry = found.setdefault(name, self._entry(name))
                entry["emulated" if one.emulated else "real"] += 1
                entry["verdicts"][one.verdict] += 1
        return sorted(found.values(), key=lambda one: (-one["real"], -one["emulated"], one["rule"]))

    def _entry(self, name: str) -> dict[str, Any]:
        rule = rules().get(name)
        explanation, hint = (rule.explanation, hint_of(rule, self._of_logs)) if rule else ("", "")
        return {
            "rule": name,
            "real": 0,
            "emulated": 0,
            "verdicts": Counter(),
            "explanation": explanation,
            "hint": hint,
        }


def _record(row: Row) -> _Record:
    notes = (one.partition(":")[0].strip() for one in names_in(row.get("notes")))
    proof = str(row.get("proof") or "") if row["verdict"] == VALID else ""
    return _Record(
        bool(row.get("emulated")),
        row["verdict"],
        proof,
        tuple(names_in(row.get("reasons"))),
        tuple(filter(None, notes)),
    )


def _by_verdict(records: Sequence[_Record]) -> dict[str, int]:
    counts = Counter(one.verdict for one in records)
    return {verdict: counts[verdict] for verdict in VERDICTS}
