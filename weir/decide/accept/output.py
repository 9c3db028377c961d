"""The judgement of a contract as text, plain values and JUnit."""

import textwrap
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from weir.base.units import counted, digits_or_more, percent, signed_percent
from weir.collect.rounds import CLOCK, REMARKS, REPEATED
from weir.collect.tally import power_text
from weir.decide.accept.contract import Contract
from weir.decide.accept.evidence import Measured
from weir.decide.accept.judge import FAIL, NOT_PROVEN, PASS, JudgedLine, is_equal, overall
from weir.report.junit import ERROR, FAILURE, JunitCase, junit

ORDER = (PASS, FAIL, NOT_PROVEN)
_WIDTH = 110
_DIGITS = range(4, 14)


UNVERIFIED = "UNVERIFIED"
# Doubts that no check of a study can exclude; they are on the first page of every report.
REMAINS_POSSIBLE = (
    "Other campaigns: whoever measured in several directories or on several machines may hand in the best. "
    "The ledger knows its own directory. Ask for the ledgers of all, or name the campaign in the contract.",
    "A run that was interrupted leaves no line, and is measured again.",
    "Whoever controls the machine can write ledger and checksums anew, or exchange programs before they run. "
    "A head of the ledger that the other party wrote down meanwhile excludes the first, its presence both.",
    "What the records do not show: an emptied file system, no other users, settings of the servers, "
    "frequencies of processors of a virtual machine or of further nodes.",
)


def headline(contract: Contract, results: Sequence[JudgedLine], measured: Measured) -> str:
    """The verdict, of how many requirements of the contract it is, and the line closest to its promise."""
    counts = Counter(result.verdict for result in results)
    unjudged = len(contract.not_encoded)
    mark = f" {UNVERIFIED}" if measured.lacks else ""
    if overall(results) == PASS and unjudged:
        text = f"{PASS.upper()}{mark} on {len(results)} of {len(results) + unjudged} requirements"
        text += f", {unjudged} not judged"
    else:
        parts = ", ".join(f"{counts[verdict]} {verdict}" for verdict in ORDER)
        text = f"{overall(results).upper()}{mark} ({counted(len(results), 'line')}: {parts})"
        text += f", {counted(unjudged, 'requirement')} not judged" if unjudged else ""
    return "; ".join([f"{contract.name}: {text}", *_closest(results)])


def _closest(results: Sequence[JudgedLine]) -> Iterator[str]:
    """The value with the smallest margin: a missed promise, if there is one."""
    found = [(one.margin, one) for one in results if one.margin is not None]
    if found:
        margin, one = min(found, key=lambda item: item[0])
        promise, value = one.line.promise, one.value
        if promise is not None and value is not None:
            number = f"{_texts(promise.bound, value.value)[1]} {promise.unit}"
            word = "worse" if margin < 0 else "better"
            how = f"{percent(abs(margin), 1)}% {word} than promised" if margin else "as promised"
            yield f"closest line {one.line.name}: {number}, {how}"


def verified_lines(measured: Measured) -> list[str]:
    """Lines on how far it is known which planned rounds became records, and on which storage."""
    if measured.lacks:
        return [*(f"{UNVERIFIED}: {text}." for text in measured.lacks), *_place_lines(measured)]
    rounds = measured.rounds
    held = len({(row["cell"], row.get("run")) for row in measured.rows})
    count = measured.cross_checked
    beside = f", {count} of a cross-check, which no line uses" if count else ""
    lines = [
        f"Rounds: {sum(rounds.planned.values())} planned, {held} in the records{beside}, "
        f"{counted(len([one for one in rounds.findings if one.kind not in REMARKS]), 'finding')}.",
        f"Ledger: {counted(rounds.entries, 'run')} of its directory, of which "
        f"{rounds.entries - rounds.foreign} are of cells of this study; head {rounds.head}.",
    ]
    lines += [str(one) for one in rounds.findings if one.kind in (REPEATED, CLOCK)]
    lines += [measured.campaign] if measured.campaign else []
    looks = max(rounds.looks.values(), default=1)
    if looks > 1:
        lines.append(
            f"More rounds were planned after others had ended, or a longer plan was not measured to its end: "
            f"judged as look {looks}, by a wider interval."
        )
    lines.append(
        f"Signed by {measured.signed_by}."
        if measured.signed_by
        else "No signature was checked: --allowed-signers was not given."
    )
    return [*lines, *_place_lines(measured)]


def _place_lines(measured: Measured) -> list[str]:
    """The lines about the storage behind a target's name (any directory can be called scratch), and about how
    processors ran."""
    runs: dict[str, Counter[str]] = defaultdict(Counter)
    for run in measured.runs.values():
        host = run.get("host") or {}
        runs["Nodes"][str(host.get("nodes") or host.get("node") or "not recorded")] += 1
        runs["Processors"][power_text(host.get("power")) or "not recorded"] += 1
        found = host.get("file_system") or {}
        texts = [str(found[name]) for name in ("type", "device") if found.get(name)]
        mount = f" at {found['mount_point']}" if found.get("mount_point") else ""
        name = f"Storage of target {run['cell'].get('target')}"
        runs[name][" ".join(texts) + mount if texts else "not recorded"] += 1
    texts_of = {
        name: [f"{text} ({counted(count, 'run')})" for text, count in sorted(each.items())]
        for name, each in sorted(runs.items())
    }
    return [f"{name}: {', '.join(texts)}." for name, texts in texts_of.items()]


def as_text(contract: Contract, results: Sequence[JudgedLine], measured: Measured) -> str:
    lines = [headline(contract, results, measured), *(line for one in results for line in _lines(one))]
    unjudged = [f"  not judged {text}" for text in contract.not_encoded]
    return "\n".join([*lines, *unjudged, *verified_lines(measured)])


def _lines(result: JudgedLine) -> Iterator[str]:
    yield f"  {result.verdict:<10} {result.line.name}: {numbers(result)}"
    for one in result.findings:
        mark = "not known" if one.unknown else "violated"
        yield from textwrap.wrap(
            f"{mark}: {one.condition}: {one.text}",
            _WIDTH,
            initial_indent=" " * 13,
            subsequent_indent=" " * 15,
            break_on_hyphens=False,
        )
    if not result.findings:
        yield f"             {result.why}"


def numbers(result: JudgedLine) -> str:
    """The numbers, such as: mean 9,812 MiB/s [9,700–9,920], n = 6; promised 9 GiB/s; margin +6.5 % [+5.3–+7.6
    %]."""
    promise, value = result.line.promise, result.value
    if promise is None:
        return "conditions only"
    if value is None:
        return f"no value; promised {promise.text or 'nothing yet'}"
    bound, middle, *ends = _texts(promise.bound, value.value, *(value.interval or ()))
    text = f"{promise.statistic} {middle}"
    if value.interval:
        text += " [{}–{}]".format(*ends)
    text += f" {promise.unit}, n = {value.runs}"
    if promise.bound is None:
        return text
    text += f"; promised {promise.text} ({bound} {promise.unit})"
    text += f"; margin {signed_percent(result.margin or 0.0, 1)}"
    if result.margin_interval:
        text += " [{} to {}]".format(*(signed_percent(end, 1) for end in result.margin_interval))
    if value.interval and promise.by_interval:
        text += f"; {100 * value.level:.4g} % interval"
        text += f", best of {value.cells} cells" if value.cells > 1 else ""
        text += f", look {value.look}" if value.look > 1 else ""
    return text


def _texts(bound: float | None, *numbers: float) -> list[str]:
    """The bound and numbers beside it, with as many digits as it takes for none to read as the bound that is
    another number: a reader compares them."""
    texts: list[str] = []
    for digits in _DIGITS:
        texts = [digits_or_more(number, digits) for number in (bound or 0.0, *numbers)]
        read = [float(text.replace(",", "")) for text in texts]
        same = [number for number, text in zip(numbers, read[1:], strict=True) if text == read[0]]
        if bound is None or all(is_equal(number, bound) for number in same):
            break
    return texts


def facts(contract: Contract, results: Sequence[JudgedLine], measured: Measured) -> dict[str, Any]:
    return {
        "contract": contract.name,
        "verdict": overall(results),
        "verified": not measured.lacks,
        "lacks": list(measured.lacks),
        "rounds": [vars(one) for one in measured.rounds.findings],
        "ledger": {"lines": measured.rounds.entries, "head": measured.rounds.head},
        "signed_by": measured.signed_by or None,
        "lines": [
            {
                "line": one.line.name,
                "text": one.line.text,
                "verdict": one.verdict,
                "why": one.why,
                "promised": one.line.promise.text if one.line.promise else None,
                "value": one.value.value if one.value else None,
                "unit": one.line.promise.unit if one.line.promise else None,
                "interval": one.value.interval if one.value else None,
                "level": one.value.level if one.value else None,
                "runs": one.value.runs if one.value else 0,
                "margin": one.margin,
                "margin_interval": one.margin_interval,
                "findings": [vars(finding) for finding in one.findings],
            }
            for one in results
        ],
    }


def as_junit(contract: Contract, results: Sequence[JudgedLine], measured: Measured) -> str:
    """A test case for each line; what is not proven is an error, not a failure of the storage."""
    name = f"weir accept {contract.name}{f' {UNVERIFIED}' if measured.lacks else ''}"
    kinds = {FAIL: FAILURE, NOT_PROVEN: ERROR}
    cases = []
    for one in results:
        why = f"{one.why}: {numbers(one)}" if one.verdict == FAIL else one.why
        cases.append(JunitCase(contract.name, one.line.name, kinds.get(one.verdict, ""), why))
    return junit(name, len(results), cases)
