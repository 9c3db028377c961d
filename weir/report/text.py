"""The top of a page as text: how fast, how sure, and what to do.

Text from files and machines as LaTeX prints it: names and commands may hold any character. analysis/R/latex.R
does the same for the tables that R writes. The reports load textcomp for the quotes.
"""

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from weir.base import units
from weir.base.units import counted, latency_text, three_digits
from weir.records.columns import verdict_texts

_SIGNS = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "|": r"\textbar{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    '"': r"\textquotedbl{}",
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
    "-": "{-}",  # two of them are no dash
    "–": "--",
    "×": r"$\times$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "µ": r"$\mu$",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    # They would belong to the line break before a row if they began it.
    **{sign: f"{{{sign}}}" for sign in "[]*"},
}
# The fonts have the letters of western Europe; a character that they lack would end the printing.
_LACKING = re.compile("[^ -~\u00a1-\u00ac\u00ae-\u00ff–—‘’‚“”•…≥≤]")
# No line begins with the unit of its number, nor with that of an interval; analysis/R/latex.R has the same.
NUMBER_AND_UNIT = re.compile(
    r"(?:(?<=[0-9])|(?<=[0-9]\{\]\})) (?=(?:\\%|(?:[KMGTP]i?|k)?B(?:/s)?|(?:[nmu]|\$\\mu\$)?s|min|h|"
    r"[kM]?(?:op|IOP|iop)s?/s|k?IOPS|G?bit/s|[KMGT]b/s|mm)(?![A-Za-z0-9_/-]))"
)
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]+")


_LONGEST = 2_000  # more fills pages
_DIGEST = re.compile(r"\b[0-9a-f]{33,}\b")


def latex(text: object) -> str:
    """The text, character by character; one that the fonts lack by its number."""
    whole = str(text)
    text = whole if len(whole) <= _LONGEST else f"{whole[:_LONGEST]}..."
    plain = _LACKING.sub(lambda found: f"[U+{ord(found[0]):04X}]", _CONTROLS.sub(" ", str(text)))
    return NUMBER_AND_UNIT.sub("~", "".join(_SIGNS.get(sign, sign) for sign in plain))


def latex_prose(text: object) -> str:
    """Text with whole digests: a line may end after any sixteen characters of one."""
    return _DIGEST.sub(lambda found: r"\allowbreak{}".join(re.findall(".{1,16}", found[0])), latex(text))


def latex_path(text: object) -> str:
    """Commands and paths, in which a line may end after any slash and equals sign."""
    return latex(text).replace("/", r"/\allowbreak{}").replace("=", r"=\allowbreak{}")


_WIDTH = 100
_MOST_ADVICE = 3
_MOST_TARGETS = 4


def lines(facts: Mapping[str, Any]) -> Iterator[str]:
    """The first screen of the page; its first line is the answer."""
    yield headline(facts)
    study, targets = facts["study"], [one for one in facts["targets"] if not one["emulated"]]
    names = [" ".join(filter(None, (one["name"], one["file_system"]))) for one in targets or facts["targets"]]
    yield "  " + (study["title"] or units.listed(names, _MOST_TARGETS, " · "))
    machine = [
        study["host"],
        study["processor"],
        study["memory"],
        f"suite {study['suites'] or study['name']}",
    ]
    yield "  " + ", ".join(part for part in (*machine, study["began"][:16].replace("T", " ")) if part)
    yield proof(facts["verdicts"])
    yield from rates(facts)
    yield from listed("check", facts.get("cross_check") or ())
    yield from listed("doubts", [f"{one['number']} {one['sentence']}" for one in facts["doubts"]])
    advice = [f"{one['title']} {one['evidence']} {one['action']}" for one in facts["advice"]]
    yield from listed("advice", advice[:_MOST_ADVICE])


def headline(facts: Mapping[str, Any]) -> str:
    """The number of proven results, and the best rate of each access on the first target that has one."""
    counts = shown_counts(facts["verdicts"])
    word = "VALID by the verdict of the table's author" if facts["verdicts"].get("authors") else "proven"
    found = f"{counts.get('VALID', 0):,} of {sum(counts.values()):,} results {word}; "
    for target in sorted(facts["targets"], key=lambda one: bool(one["emulated"])):
        best = [each for each in facts["answers"] if each["target"] == target["name"]]
        if best:
            return f"{found}{_best(target, best)}"
    return f"{found}no rate that can be used"


def _best(target: Mapping[str, Any], found: Sequence[Mapping[str, Any]]) -> str:
    name = f"{target['name']} (emulated)" if target["emulated"] else target["name"]
    of_access = sorted(found, key=lambda each: str(each["access"]) != "write")
    return f"{name} at best: " + ", ".join(f"{one['access']} {_rate(one['best'])}" for one in of_access)


def shown_counts(verdicts: Mapping[str, Any]) -> Mapping[str, int]:
    """Verdicts of real storage; those of emulated storage where there is no other."""
    real: Mapping[str, int] = verdicts["real"]
    emulated: Mapping[str, int] = verdicts["emulated"]
    return real if sum(real.values()) else emulated


def rates(facts: Mapping[str, Any]) -> Iterator[str]:
    """The rates of each target; of real storage where there is any."""
    targets = [one for one in facts["targets"] if not one["emulated"]] or facts["targets"]
    for one in targets[:_MOST_TARGETS]:
        yield from answers(one["name"], [each for each in facts["answers"] if each["target"] == one["name"]])
    if len(targets) > _MOST_TARGETS:
        yield f"  and {counted(len(targets) - _MOST_TARGETS, 'more target')}: report.html"


def proof(verdicts: Mapping[str, Any]) -> str:
    """The share of proven results of real storage; of emulated storage where there is no other."""
    emulated = sum(verdicts["emulated"].values())
    only_emulated = not sum(verdicts["real"].values())
    counts = shown_counts(verdicts)
    others = [f"{counts[name]:,} {word}" for name, word in verdict_texts().items() if name != "VALID"]
    text = (
        f"  {counts['VALID']:,} of {sum(counts.values()):,} results {proven(verdicts)}, {', '.join(others)}"
    )
    if verdicts.get("busy"):
        text += f"; {verdicts['busy']:,} taken on a busy machine"
    if not emulated:
        return text
    return text + (
        "; EMULATED STORAGE: it tests the method, not a product"
        if only_emulated
        else f"; and {emulated:,} of emulated storage"
    )


def proven(verdicts: Mapping[str, Any]) -> str:
    """The text on how far results are proven, from page.json; earlier pages have none. Only this audit
    proves: an imported table may carry the verdicts of its author."""
    if verdicts.get("authors"):
        return "VALID by the verdict of the table's author"
    texts = [f"{one['count']:,} {one['text']}" for one in verdicts.get("proofs") or ()]
    return f"proven ({', '.join(texts)})" if texts else "proven"


def answers(target: str, found: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """One line for each access: best, small random, tail."""
    for one in sorted(found, key=lambda each: str(each["access"]) != "write"):
        best, small, tail = one["best"], one.get("small"), one.get("tail")
        text = f"  {target:<10} {one['access']:<6} best {_rate(best)}  {best['setting']}"
        yield from _wrapped(text, 20)
        details = [f"small random {_rate(small)}"] if small else []
        if small and small.get("iops") is not None:  # an archive may not tell the size of a transfer
            details[0] += f", {three_digits(small['iops'])} op/s"
        details += [f"p99 {latency_text(tail['value'])}"] if tail else []
        if details:
            yield " " * 20 + ", ".join(details)


def _rate(row: Mapping[str, Any]) -> str:
    rate = f"{three_digits(row['value'])} {row['unit']}"
    if row.get("lo") is None:
        return f"{rate} ({runs(row)})"
    return f"{rate} [{three_digits(row['lo'])}–{three_digits(row['hi'])}]"


def runs(row: Mapping[str, Any]) -> str:
    """The text in place of an interval: the number of runs, and between what they lie."""
    if row["n"] == 1:
        return "one run"
    values = row.get("values") or ()
    spread = f", {three_digits(min(values))}–{three_digits(max(values))}" if values else ""
    return f"{row['n']} runs{spread}"


def listed(name: str, texts: Sequence[str]) -> Iterator[str]:
    for number, text in enumerate(texts):
        first = f"  {name:<10} " if number == 0 else " " * 13
        yield from _wrapped(first + text, 13)


def _wrapped(text: str, indent: int) -> Iterator[str]:
    """No line begins with the unit of its number, and none ends within a name such as scratch-openmpi-1x2."""
    tied = NUMBER_AND_UNIT.sub("\u00a0", text)
    for line in textwrap.wrap(tied, _WIDTH, subsequent_indent=" " * indent, break_on_hyphens=False):
        yield line.replace("\u00a0", " ")
