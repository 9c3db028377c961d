"""A result and its percentiles as text for people and as JSON for programs."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from weir.base.units import counted
from weir.decide.io500.random_read import DOUBTED, RandomRead, random_read_facts, random_read_lines
from weir.decide.io500.result import (
    PHASES,
    TOLERANCE,
    Io500Result,
    RecomputedScore,
    Score,
    Validity,
    agreement,
    relative,
    score,
)
from weir.decide.io500.result_sets import LogAudit, audit_facts, audit_lines, audit_text
from weir.decide.io500.submission_rules import rule_facts, rule_lines, submission_rules
from weir.decide.io500.submissions import PER, Percentile, Submission

Places = Mapping[str, Mapping[str, Percentile]]


@dataclass(frozen=True)
class JudgedResult:
    """A result with all that weir found about it; why_not: the reason why it has no percentiles."""

    result: Io500Result
    valid: Validity
    audit: LogAudit
    random: Sequence[RandomRead]
    places: Places
    why_not: str = ""


def lines(judged: JudgedResult) -> Iterator[str]:
    result, valid, places = judged.result, judged.valid, judged.places
    size = ", ".join(
        counted(count, what) for count, what in ((result.nodes, "node"), (result.procs, "process")) if count
    )
    version = result.version or "version not printed"
    yield _first_line(judged)
    yield f"{result.source}: {version}; {size or 'nodes and processes not printed'}"
    yield ""
    yield from _phase_lines(result, places)
    yield ""
    yield from score_lines(result, valid)
    yield from (f"  {line}" for line in _hash_lines(result))
    for found in judged.random:
        yield ""
        yield from random_read_lines(found)
    yield ""
    yield from audit_lines(judged.audit)
    yield from rule_lines(submission_rules(result))
    yield from (f"note: {note}" for note in result.notes)
    yield from _place_notes(places, judged.why_not)


def _first_line(judged: JudgedResult) -> str:
    """Both answers, because a score that is valid by its rules may rest on logs that the audit refuses."""
    valid = judged.valid
    label = valid.label if valid.valid else f"{valid.label}: {'; '.join(valid.reasons)}"
    parts = [label, audit_text(judged.audit)]
    if not judged.result.missing:
        name = "score" if valid.valid else "index"
        parts.insert(0, f"{name} {score(judged.result.phases).today:,.2f}")
    if any(found.verdict == DOUBTED for found in judged.random):
        parts.append(f"its random read of 4 KiB is {DOUBTED}")
    return "; ".join(parts)


def _phase_lines(result: Io500Result, places: Places) -> Iterator[str]:
    head = f"  {'phase':<19}{'value':>14} {'unit':<6}{'time':>10}"
    if places:
        head += f"{'percentile':>12}{'per node':>10}{'per process':>13}{'IME below':>11}"
    yield head
    for name, unit in PHASES.items():
        phase = result.phases.get(name)
        if phase is None:
            yield f"  {name:<19}{'missing':>14}"
            continue
        time = "-" if phase.time_s is None else f"{phase.time_s:,.1f} s"
        line = f"  {name:<19}{phase.value:>14,.3f} {unit:<6}{time:>10}"
        if places:
            known = [places[name].get(per) for per in PER]
            shown = [f"{place.percentile:.1f}" if place else "-" for place in known]
            whole = places[name]["whole"]
            line += f"{shown[0]:>12}{shown[1]:>10}{shown[2]:>13}{f'{whole.ime_below} of {whole.ime}':>11}"
        yield line


def score_lines(result: Io500Result, valid: Validity) -> Iterator[str]:
    if result.missing:
        yield f"  no score: {', '.join(result.missing)} missing"
        return
    found = score(result.phases)
    yield f"  bandwidth {found.bandwidth_gib_s:,.4f} GiB/s, metadata {found.iops_kiops:,.4f} kIOPS"
    if valid.valid:
        yield f"  score {found.today:,.4f} by today's rule, {found.rule_2017:,.4f} by that of 2017"
    else:
        yield f"  for own comparisons only ({valid.label}):"
        yield f"    index {found.today:,.4f} by today's formula, {found.rule_2017:,.4f} by that of 2017"
    yield from (f"  {line}" for line in _agreement_lines(result, found, valid))


def _hash_lines(result: Io500Result) -> Iterator[str]:
    found = result.score_hash
    if found is None:
        yield "no hash of the score is printed: whether numbers were edited is not decided"
    elif found.agrees:
        yield f"hash {found.printed:X} fits the printed numbers (anybody can compute it: it proves no origin)"
    else:
        yield (
            f"hash {found.printed:X} does not fit the printed numbers, which give {found.computed[0]:X}: "
            "result.txt was edited after the run, or a changed IO500 wrote it"
        )
    if result.config_hash:
        yield result.config_hash.text


def _agreement_lines(result: Io500Result, found: Score, valid: Validity) -> Iterator[str]:
    source = "published" if valid.valid else "unofficial, printed in the file:"
    published = result.published
    whole = agreement(result)
    if published is None or whole is None:
        yield "no score is published with this result"
        return
    yield describe(whole, source)
    for what, own, printed in (
        ("bandwidth", found.bandwidth_gib_s, published.bandwidth_gib_s),
        ("metadata", found.iops_kiops, published.iops_kiops),
    ):
        if printed is not None:
            off = relative(own, printed)
            word = "agrees" if abs(off) <= TOLERANCE else "differs"
            yield f"{source} {what} {printed:,.4f}: {word} ({off:+.2%})"


def describe(found: RecomputedScore, source: str = "published") -> str:
    text = f"{source} total {found.published:,.4f}: "
    if found.agrees:
        return f"{text}agrees with {found.rule} within {TOLERANCE:.1%} ({found.off:+.3%})"
    text += f"differs from {found.rule} by {found.off:+.2%}"
    if found.rounding_explains:
        return (
            f"{text}; the rounding of the printed phases, most of {found.coarsest}, allows "
            f"{found.low:,.4f} to {found.high:,.4f}"
        )
    return f"{text}; rounding does not explain it"


def _place_notes(places: Places, why_not: str) -> Iterator[str]:
    yield ""
    if not places:
        yield f"no percentiles, {why_not}"
        return
    first = next(iter(places.values()))
    known = {per: first[per].submissions for per in PER if per in first}
    counts = ", ".join(f"{count} {_PER_TEXT[per]}" for per, count in known.items())
    yield f"percentile: share of the published result sets that are below this one ({counts})"
    yield "IME below: result sets on IME with a lower value of the whole system"


_PER_TEXT = {"whole": "in all", "node": "with known nodes", "process": "with known processes"}


def facts(judged: JudgedResult) -> dict[str, Any]:
    """The same as plain values. `score` and `published` are null unless the result is valid."""
    result, valid, places = judged.result, judged.valid, judged.places
    published = vars(result.published) if result.published else None
    found = None if result.missing else score(result.phases)
    scores = vars(found) | {"today": found.today, "rule_2017": found.rule_2017} if found else None
    closing = result.score_hash
    return {
        "source": str(result.source),
        "version": result.version,
        "nodes": result.nodes,
        "procs": result.procs,
        "valid": valid.valid,
        "label": valid.label,
        "reasons": list(valid.reasons),
        "phases": {
            name: {"value": phase.value, "unit": phase.unit, "time_s": phase.time_s}
            for name, phase in result.phases.items()
        },
        "score": scores if valid.valid else None,
        "index_not_a_score": None if valid.valid else scores,
        "published": published if valid.valid else None,
        "printed_not_official": None if valid.valid else published,
        "agreement": _agreement_facts(agreement(result)) if valid.valid else None,
        "percentiles": {name: {per: vars(place) for per, place in by.items()} for name, by in places.items()}
        or None,
        "no_percentiles_because": judged.why_not or None,
        "score_hash": {"printed": f"{closing.printed:X}", "agrees": closing.agrees} if closing else None,
        "config_hash": vars(result.config_hash) if result.config_hash else None,
        "submission_rules": rule_facts(submission_rules(result)),
        "random_reads": [random_read_facts(found) for found in judged.random],
        "audit": audit_facts(judged.audit),
        "notes": list(result.notes),
    }


def _agreement_facts(found: RecomputedScore | None) -> dict[str, Any] | None:
    if found is None:
        return None
    derived = {"off": found.off, "agrees": found.agrees, "rounding_explains": found.rounding_explains}
    return vars(found) | derived


def checked(submissions: Sequence[Submission]) -> list[tuple[Submission, RecomputedScore]]:
    """Each submission beside its recomputed score; the table has all phases and a score of each."""
    return [(each, found) for each in submissions if (found := agreement(each.result))]


def table_lines(found: Sequence[tuple[Submission, RecomputedScore]]) -> Iterator[str]:
    agreeing = [one for _, one in found if one.agrees]
    rules = Counter(one.rule for one in agreeing)
    by_rule = ", ".join(f"{count} with {rule}" for rule, count in sorted(rules.items()))
    ime = sum(each.on_ime for each, _ in found)
    yield f"{counted(len(found), 'result set')}, {ime} of them on IME"
    yield f"{len(agreeing)} agree within {TOLERANCE:.1%} with the recomputed score: {by_rule or 'none'}"
    for each, one in found:
        if not one.agrees:
            yield f"  {_name(each)}: {describe(one)}"


def _name(each: Submission) -> str:
    nodes = f", {counted(each.result.nodes, 'node')}" if each.result.nodes else ""
    return f"{each.result.label} ({each.system}{nodes})"


def table_facts(found: Sequence[tuple[Submission, RecomputedScore]]) -> dict[str, Any]:
    return {
        "result_sets": len(found),
        "on_ime": sum(each.on_ime for each, _ in found),
        "agree": sum(one.agrees for _, one in found),
        "differ": [
            {"submission": each.result.label, "system": each.system, "nodes": each.result.nodes}
            | (_agreement_facts(one) or {})
            for each, one in found
            if not one.agrees
        ],
    }
