"""Counts records for a page: verdicts, how far proofs go, and findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from itertools import chain
from typing import Any, NamedTuple

from weir.audit.explain import hint_of
from weir.audit.judge import VALID, VERDICTS
from weir.audit.registry import rules
from weir.terms.columns import columns
from weir.terms.model import Row

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
                verdicts = entry["verdicts"]
                verdicts[one.verdict] = verdicts.get(one.verdict, 0) + 1
        return sorted(found.values(), key=lambda one: (-one["real"], -one["emulated"], one["rule"]))

    def _entry(self, name: str) -> dict[str, Any]:
        rule = rules().get(name)
        explanation, hint = (rule.explanation, hint_of(rule, self._of_logs)) if rule else ("", "")
        return {
            "rule": name,
            "real": 0,
            "emulated": 0,
            "verdicts": {},
            "explanation": explanation,
            "hint": hint,
        }


def _record(row: Row) -> _Record:
    notes = (one.partition(":")[0].strip() for one in (row.get("notes") or "").split(";"))
    reasons = (row.get("reasons") or "").split(";")
    proof = str(row.get("proof") or "") if row["verdict"] == VALID else ""
    return _Record(
        bool(row.get("emulated")),
        row["verdict"],
        proof,
        tuple(filter(None, reasons)),
        tuple(filter(None, notes)),
    )


def _by_verdict(records: Sequence[_Record]) -> dict[str, int]:
    counts = Counter(one.verdict for one in records)
    return {verdict: counts[verdict] for verdict in VERDICTS}
