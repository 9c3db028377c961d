"""An IO500 run that `weir prove` watched: each phase with the verdict about its log and what was counted, and
the score beside what IO500's own rules say of the run."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from weir.audit.judge import UNPROVEN, VALID
from weir.base.units import about_size
from weir.decide.io500.directory import read_all, read_directory
from weir.decide.io500.output import score_lines
from weir.decide.io500.result import (
    COLUMNS,
    PHASES,
    STONEWALL_S,
    TOLERANCE,
    Io500Phase,
    Io500Result,
    Validity,
    access_of,
    relative,
    score,
    validity,
)
from weir.decide.io500.submission_rules import submission_rules
from weir.prove.claims import counted_text
from weir.prove.named import SEARCH
from weir.prove.output import verdict_text
from weir.prove.records import JudgedRecord
from weir.prove.results import Claim, claims_in
from weir.records.model import Row

_STORED = re.compile(r"^The result files are stored in the directory: (.+)$", re.MULTILINE)
# Beside the phases of the score: its reads are among the calls, too.
_OPTIONAL = ("ior_rnd4k_easy_read", "ior_rnd4K_easy_read")
# As find.csv has them: the time of all ranks, and of each one the files that it was given.
_RUNTIME = re.compile(r"runtime: (\d+(?:\.\d+)?) rate: ")
_OF_RANK = re.compile(r"^\d+, \d+, \d+, \d+, (\d+), \d+", re.MULTILINE)
_BY_SCRIPT = "lacks operations: a script searched, which leaves no number of files (find.csv)"
_CREATIONS = ("mdtest_easy_write", "mdtest_hard_write")
_PRINTED_MIB_S = 0.005  # half of the last digit of IOR


@dataclass(frozen=True)
class WatchedRun:
    """claims: by phase, of the logs that the run left; a phase without one has none."""

    result: Io500Result
    claims: Mapping[str, Claim]


@dataclass(frozen=True)
class ProvenPhase:
    """A phase with its verdict, and what that rests on; value: of the result, nothing where it is missing."""

    name: str
    verdict: str
    evidence: str
    value: float | None = None
    time_s: float | None = None


def watched_run(output: str) -> WatchedRun | None:
    """Looks for the run that the output tells of, in the directory that it names."""
    named = _STORED.findall(output)
    if not named:
        return None
    folder = Path(named[-1].strip())
    result = read_directory(folder)
    claims = {name: claim for name in (*PHASES, *_OPTIONAL) if (claim := _claim(name, folder, result))}
    return WatchedRun(result, {name: _with_files(name, one, claims) for name, one in claims.items()})


def _claim(name: str, folder: Path, result: Io500Result) -> Claim | None:
    """The result in the log of a phase: the best one, as IO500 takes it. A log has no end, because the phases
    are in one process: that of the phase is in the result."""
    if name == SEARCH:
        return _of_search(folder, result)
    texts, _ = read_all(sorted(folder.glob(f"{name.replace('_', '[-_]')}.txt")))
    claims = (one for text in texts.values() for one in claims_in(text))
    found = [one for one in claims if one.row["access"] == access_of(name)]
    best = max(found, key=_rate, default=None)
    return best and replace(best, complete=best.complete or name in result.phases or name in _OPTIONAL)


def _rate(claim: Claim) -> float:
    return float(claim.row.get("bw_mib_s") or claim.row.get("ops_s") or 0.0)


def _of_search(folder: Path, result: Io500Result) -> Claim | None:
    """The search of IO500 runs in the same processes, and leaves its time and the files of each rank in a
    table; one of a script leaves its rate alone."""
    phase = result.phases.get(SEARCH)
    if phase is None:
        return None
    row: Row = {"access": SEARCH, "item": "file", "tool": SEARCH, "program": "pfind", "api": "POSIX"}
    texts, _ = read_all(sorted(folder.glob(f"{SEARCH}.csv")))
    for text in texts.values():
        runtime, ranks = _RUNTIME.match(text), _OF_RANK.findall(text)
        if runtime and ranks and (total_s := float(runtime[1])) > 0:
            ops = sum(map(int, ranks))
            return Claim("pfind", row | {"ops": ops, "ops_s": ops / total_s, "total_s": total_s})
    return Claim("pfind", row | {"ops_s": 1000 * phase.value, "total_s": phase.time_s})


def _with_files(name: str, claim: Claim, claims: Mapping[str, Claim]) -> Claim:
    """The logs of creations alone have the number of files, which a stonewall may have ended. A search has to
    find them all."""
    if name == SEARCH and (found := claim.row.get("ops")) is not None:
        made = [claims[one].row.get("ops") or 0 for one in _CREATIONS if one in claims]
        return replace(claim, row=claim.row | {"requested_ops": max(found, sum(made))})
    created = claims.get(f"{name.rpartition('_')[0]}_write")
    if PHASES.get(name) != "kIOPS" or created is None or claim.row.get("ops") is not None:
        return claim
    return replace(claim, row=claim.row | {"ops": created.row.get("ops")})


@dataclass(frozen=True)
class ProvenRun:
    """A run with the twelve phases of its score."""

    run: WatchedRun
    phases: Sequence[ProvenPhase]

    @property
    def proven(self) -> int:
        return sum(one.verdict == VALID for one in self.phases)


def proven_run(run: WatchedRun, judged: Sequence[JudgedRecord | None]) -> ProvenRun:
    """judged: each of the run's claims, in their order."""
    by_phase = dict(zip(run.claims, judged, strict=True))
    return ProvenRun(run, [_proven(name, run, by_phase.get(name)) for name in PHASES])


def _proven(name: str, run: WatchedRun, judged: JudgedRecord | None) -> ProvenPhase:
    phase, claim = run.result.phases.get(name), run.claims.get(name)
    if phase is None:
        return ProvenPhase(name, UNPROVEN, "the result lacks it")
    verdict, evidence = UNPROVEN, "the directory has no log of it"
    if claim is not None and (apart := _apart(phase, claim)):
        evidence = f"its log has {apart}"
    elif name == SEARCH and claim is not None and claim.row.get("ops") is None:
        evidence = _BY_SCRIPT
    elif judged is not None:
        verdict = judged.judgement.verdict
        evidence = ", ".join([*_counted(judged), verdict_text(judged).partition(", ")[2]])
    elif claim is not None:
        evidence = "no call on any mount was seen"
    return ProvenPhase(name, verdict, evidence, phase.value, phase.time_s)


def _apart(phase: Io500Phase, claim: Claim) -> str:
    """The value of the log where that of the result is another one; the search has but one."""
    rate = _rate(claim)
    own = rate / COLUMNS[phase.unit][1]
    rounded = _PRINTED_MIB_S / rate if phase.unit == "GiB/s" and rate else 0.0
    is_same = abs(phase.value - own) <= phase.half_step + max(TOLERANCE, rounded) * own
    return "" if is_same else f"{own:,.3f} {phase.unit} ({relative(phase.value, own):+.1%} in the result)"


def _counted(judged: JudgedRecord) -> Iterator[str]:
    bytes_ = counted_text(judged)["bytes"]
    called = judged.subject.observed.get("called_operations")
    if judged.row["bw_mib_s"] and bytes_:
        yield f"{about_size(bytes_)} in calls"
    elif called is not None:
        yield f"{called:,} calls"


def headline(proven: ProvenRun) -> str:
    return f"{proven.proven} of {len(PHASES)} phases of IO500 proven, {validity(proven.run.result).label}"


def proven_lines(proven: ProvenRun) -> Iterator[str]:
    """The table of the phases, the score, and the two answers: valid by the rules of IO500, and proven."""
    result = proven.run.result
    valid = validity(result)
    yield f"IO500 {result.version or 'version not printed'}: {result.source.parent}"
    yield f"  {'phase':<19}{'value':>14} {'unit':<6}{'time':>10}  verdict: evidence"
    for one in proven.phases:
        value = "missing" if one.value is None else f"{one.value:,.3f}"
        time = "-" if one.time_s is None else f"{one.time_s:,.1f} s"
        yield f"  {one.name:<19}{value:>14} {PHASES[one.name]:<6}{time:>10}  {one.verdict}: {one.evidence}"
    yield from score_lines(result, valid)
    yield f"valid by IO500's rules: {_rules_text(result, valid)}"
    yield f"proven: {proven.proven} of {len(PHASES)}"


def _rules_text(result: Io500Result, valid: Validity) -> str:
    walls = [phase.stonewall_s for phase in result.phases.values() if phase.stonewall_s]
    if walls and min(walls) < STONEWALL_S:
        return f"no (stonewall {min(walls):g} s < {STONEWALL_S:g} s)"
    if not valid.valid:
        more = f" and {len(valid.reasons) - 1} more" if len(valid.reasons) > 1 else ""
        return f"no ({valid.reasons[0]}{more})"
    failed = [f"{one.text}: {one.because}" for one in submission_rules(result) if one.met is False]
    return f"of the score yes, of a submission no ({'; '.join(failed)})" if failed else "yes, by these files"


def proven_facts(proven: ProvenRun) -> dict[str, Any]:
    """The same as plain values; a score is one only where it is valid."""
    result = proven.run.result
    valid = validity(result)
    total = None if result.missing else score(result.phases).today
    return {
        "source": str(result.source),
        "version": result.version,
        "valid": valid.valid,
        "label": valid.label,
        "reasons": list(valid.reasons),
        "proven": proven.proven,
        "score": total if valid.valid else None,
        "index_not_a_score": None if valid.valid else total,
        "phases": {one.name: vars(one) | {"unit": PHASES[one.name]} for one in proven.phases},
    }
