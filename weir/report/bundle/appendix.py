"""The artifact appendix that conferences require, as LaTeX, from the files of a study."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from math import isfinite
from pathlib import Path
from typing import Any

import weir
from weir.base.errors import InputError
from weir.base.files import NUMBER, damage_named, file_sha256, read_object, shaped
from weir.base.units import about_duration, about_size, three_digits
from weir.collect.study_facts import read_study_facts
from weir.data import data_folder
from weir.report.page import ANSWERS, PAGE_FILE
from weir.report.text import latex, latex_path

TEXT = "appendix.tex"
TABLE = "appendix.csv"
LOCK = "spack.lock"
_COLLECT = "collect the study again: weir collect"
_DRAW = "draw the study first: snakemake report"
_REPRODUCED = ("reproduced", "not reproduced", "undecided")
_GIB = 2**30
# Keys of a plan that an appendix reads.
_COSTS = ("estimated_s", "low_s", "high_s", "written_bytes", "read_bytes", "peak_bytes")
_PLAN = {
    "site": {"name": str, "targets": dict, "stacks": dict},
    "suites": [{"suite": str}],
    "scale": str,
    "scale_requested": bool,
    "cost?": {f"{name}?": NUMBER for name in _COSTS},
}


@dataclass(frozen=True)
class ClaimLine:
    """A claim, where the study shows it, and what shows it again."""

    claim: str
    file: str
    command: str
    minutes: str
    expected: str


def claim_lines(study: Path) -> list[ClaimLine]:
    """Claims of papers that these records decide; the best rates of the page if there are none."""
    facts, plan = _facts_and_plan(study)
    page = shaped(_read(study / PAGE_FILE, _DRAW), ANSWERS, study / PAGE_FILE, _DRAW)
    rest = " ".join(_command(study, facts, plan)), _minutes(plan)
    decided = [row for row in _rows(study / "claims.csv") if row["verdict"] in _REPRODUCED]
    shown = _shown_in(study, "tables/claims.html" if decided else "figures/ranking.pdf")
    pairs = [_claim(row) for row in decided] or [_rate(one) for one in page.get("answers") or ()]
    return [ClaimLine(claim, shown, *rest, expected) for claim, expected in pairs]


def _minutes(plan: Mapping[str, Any]) -> str:
    """The minutes that the measurement takes; drawing again takes none that weir knows."""
    seconds = (plan.get("cost") or {}).get("estimated_s")
    return "not recorded" if seconds is None else three_digits(float(seconds) / 60)


def appendix(study: Path) -> str:
    """The body of reports/appendix/main.tex."""
    facts, plan = _facts_and_plan(study)
    claims = _claims(study, claim_lines(study))
    with damage_named(study / "facts.json", _COLLECT):
        parts = [
            *_section("Claims and what shows them", claims),
            *_section("Artifact", _artifact(study, facts)),
            *_section("Hardware and software of the measurement", _machine(facts)),
            *_section("Install, measure, print", _steps(study, facts, plan)),
            *_section("Time and space", _cost(facts, plan)),
            *_section("Reduced path", _reduced(study)),
        ]
    return "\n".join(parts) + "\n"


def _facts_and_plan(study: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """facts.json with all that a collected study has, and plan.json; of archived records no plan."""
    facts, file = _read(study / "facts.json", _COLLECT), study / "plan.json"
    shaped(facts, {"digest": str, "records": int, "verdicts": {"*": int}}, study / "facts.json", _COLLECT)
    return facts, shaped(_read(file, _COLLECT), _PLAN, file, _COLLECT) if file.is_file() else {}


def _read(path: Path, hint: str) -> dict[str, Any]:
    try:
        return read_study_facts(path, hint) if path.name == "facts.json" else read_object(path, hint)
    except FileNotFoundError:
        raise InputError("is missing", file=path, hint=hint) from None


def _section(title: str, lines: Iterator[str]) -> Iterator[str]:
    yield f"\n\\section{{{title}}}"
    yield from lines


def _table(heads: Sequence[str], widths: str, rows: Sequence[Sequence[object]]) -> Iterator[str]:
    yield f"\\begin{{longtable}}{{{widths}}}\\toprule"
    yield " & ".join(heads) + r" \\\midrule\endhead\bottomrule\endfoot"
    for row in rows:
        # A line of a command may end within a path, a line of text only at a space.
        cells = (as_latex(cell) for as_latex, cell in zip(cycle((latex, latex_path)), row, strict=False))
        yield " & ".join(cells) + r" \\"
    yield r"\end{longtable}"


def _command(study: Path, facts: Mapping[str, Any], plan: Mapping[str, Any]) -> list[str]:
    """The command that measures the same again, or draws the same archived records, in parts that fit a
    line."""
    if not plan:
        name = f"{study.resolve().name}.csv"
        records = f"reference/{name}" if (data_folder("reference") / name).is_file() else name
        return ["snakemake --cores all paper", f"--config records={records}"]
    suites = ",".join(suite["suite"] for suite in plan["suites"])
    parts = ["snakemake --cores all", f"--config site={plan['site']['name']} suites={suites}"]
    # The measured part of a site that has more: the choice itself is not recorded, and need not be.
    for key, name in (("targets", "target"), ("stacks", "stack")):
        measured = sorted({one[name] for one in facts.get(key) or ()})
        if set(measured) < set(plan["site"][key]):
            parts.append(f"{key}={','.join(measured)}")
    return [*parts, f"scale={plan['scale']}"] if plan["scale_requested"] else parts


def _claims(study: Path, lines: Sequence[ClaimLine]) -> Iterator[str]:
    if not any(row["verdict"] in _REPRODUCED for row in _rows(study / "claims.csv")):
        yield "These records decide no claim of a paper. Their best rates are:"
    rows = [(one.claim, one.command, one.expected, one.file, one.minutes) for one in lines]
    # No word of a command is hyphenated, which raggedright leaves no reason for.
    column = r">{\raggedright\arraybackslash}p{%s\textwidth}"
    widths = "".join(column % share for share in (0.23, 0.22, 0.17, 0.12, 0.1))
    heads = ("claim", "command", "expected, with tolerance", "shown in", "minutes")
    yield from _table(heads, widths, rows)
    yield "\\par \\texttt{weir reproduce} compares each line with what the bundle gives again."


def _shown_in(study: Path, name: str) -> str:
    """The table or figure; where the study has too little for it, the paper as a whole."""
    return name if (study / name).is_file() else "report.pdf"


def _rows(path: Path) -> list[dict[str, str]]:
    """The claims that these records decide or may decide."""
    if not path.is_file():
        return []
    with damage_named(path, _DRAW), path.open(encoding="utf-8", newline="") as stream:
        try:
            rows = [row for row in csv.DictReader(stream) if row["evidence"] == "these records"]
        except csv.Error as error:
            raise ValueError(error) from None
        for row in rows:
            _claim(row)  # each of its values is there
        return rows


def _claim(row: Mapping[str, str]) -> tuple[str, str]:
    value = _interval(row["effect"], row["lo"], row["hi"], row["unit"])
    if None in row.values():
        raise ValueError("a row is too short")
    return row["says"], f"{row['bound']}; measured {value}: {row['verdict']}"


def _rate(one: Mapping[str, Any]) -> tuple[str, str]:
    best = one["best"]
    value = _interval(best["value"], best.get("lo"), best.get("hi"), best["unit"])
    return f"Best {one['access']} rate of {one['target']}: {best['setting']}", value


def _interval(value: Any, low: Any, high: Any, unit: str) -> str:
    if value in ("", None):
        return "no value"
    middle = f"{_digits(value)} {unit}"
    return middle if low in ("", None) or high in ("", None) else f"{middle} [{_digits(low)}–{_digits(high)}]"


def _digits(value: Any) -> str:
    """Three significant digits, without an exponent."""
    number = float(value)
    size = three_digits(abs(number)) if isfinite(number) else str(abs(number))
    return f"{'-' if number < 0 else ''}{size}"


def _artifact(study: Path, facts: Mapping[str, Any]) -> Iterator[str]:
    lock = study / LOCK
    without = "none: packages of the system" if facts.get("machines") else "not recorded"
    held = f"{LOCK}, SHA-256 {file_sha256(lock)}" if lock.is_file() else without
    yield from _items(
        ("Digest of the study (SHA-256 of SHA256SUMS)", facts["digest"]),
        ("Code", f"weir {facts.get('weir_version', weir.__version__)}, Apache-2.0; the bundle holds it"),
        ("Records", f"{facts['records']}: " + ", ".join(f"{n} {v}" for v, n in facts["verdicts"].items())),
        ("Lock of the stacks", held),
        *([("Lock of the Python packages (SHA-256)", facts["lock"])] if facts.get("lock") else []),
        ("Seeds of the random order", ", ".join(map(str, facts.get("seeds") or ())) or "not recorded"),
        ("Check", f"weir verify, with --digest {facts['digest'][:16]}"),
    )


def _machine(facts: Mapping[str, Any]) -> Iterator[str]:
    for one in facts.get("machines") or ():
        memory = f", {one['memory_bytes'] / _GIB:.1f} GiB" if one.get("memory_bytes") else ""
        cores = f"{one.get('processor')}, {one.get('cores')} cores{memory}"
        about = f"{cores}; {one.get('system')}, {one.get('kernel')}"
        yield from _items((f"Node {one['node']}", about))
    for one in facts.get("targets") or ():
        emulated = "; emulated" if one.get("emulated") else ""
        yield from _items((f"Target {one['target']}", f"{one.get('description')}; {_mount(one)}{emulated}"))
    for one in facts.get("stacks") or ():
        programs = ", ".join(one.get("programs") or ())
        yield from _items((f"Stack {one['stack']}", f"{one.get('description')}; {programs}"))
    # Archived records have what whoever measured wrote down.
    yield from _items(*((str(key).replace("_", " ").capitalize(), text) for key, text in _about(facts)))
    if facts.get("machines"):
        yield "\\par The arguments, the environment and the mount of each run are in its \\texttt{run.json}."


def _mount(target: Mapping[str, Any]) -> str:
    if not target.get("file_system"):
        return "file system not recorded"
    mount = f"{target['file_system']} on {target.get('device') or 'an unknown device'}"
    options = target.get("mount_options")
    return f"{mount}, mounted with {options}" if options else mount


def _about(facts: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    about = facts.get("about")
    yield from about.items() if isinstance(about, Mapping) else ()


def _steps(study: Path, facts: Mapping[str, Any], plan: Mapping[str, Any]) -> Iterator[str]:
    yield r"\begin{verbatim}"
    yield "make setup build            # or: spack install weir"
    yield " \\\n  ".join(_command(study, facts, plan))
    yield "weir verify STUDY           # checks that no file was edited"
    yield "weir compare THIS STUDY     # compares your study with this one"
    yield r"\end{verbatim}"


def _cost(facts: Mapping[str, Any], plan: Mapping[str, Any]) -> Iterator[str]:
    times = [str(facts[key]) for key in ("began", "ended") if facts.get(key)]
    executions = f"{facts.get('finished_executions')} in {facts.get('cells')} cells"
    yield from _items(
        ("Measured", " to ".join(times) or "not recorded"),
        ("Executions", executions if "cells" in facts else "not recorded"),
    )
    cost = plan.get("cost") or {}
    if "estimated_s" in cost:
        low, middle, high = (about_duration(cost[key]) for key in ("low_s", "estimated_s", "high_s"))
        yield from _items(("Expected time of the measurement", f"{middle} ({low} to {high})"))
    for key, name in (("written_bytes", "Written"), ("read_bytes", "Read"), ("peak_bytes", "Peak space")):
        if key in cost:
            yield from _items((name, about_size(cost[key])))


def _reduced(study: Path) -> Iterator[str]:
    yield "From the bundle, offline and without measuring; figures need R:"
    yield r"\begin{verbatim}"
    yield f"weir reproduce {study.resolve().name}.crate.zip --out again"
    yield r"\end{verbatim}"
    yield "It reproduces the tables and figures and compares them byte for byte."


def _items(*pairs: tuple[str, object]) -> Iterator[str]:
    yield from (f"\\paragraph{{{latex(name)}.}} {latex(value)}" for name, value in pairs)
