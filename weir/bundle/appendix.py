"""The artifact appendix that conferences require, as LaTeX, from the files of a study."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Any

from weir.errors import WeirError
from weir.files import read_object
from weir.latex import latex
from weir.runfiles import file_sha256
from weir.units import three_digits

TEXT = "appendix.tex"
LOCK = "spack.lock"
_COLLECT = "collect the study again: weir collect"
_DRAW = "draw the study first: snakemake report"
_REPRODUCED = ("reproduced", "not reproduced", "undecided")
_GIB = 2**30


def appendix(study: Path) -> str:
    """The body of reports/appendix/main.tex."""
    facts = _read(study / "facts.json", _COLLECT)
    page = _read(study / "page.json", _DRAW)
    plan = _read(study / "plan.json", _COLLECT) if (study / "plan.json").is_file() else {}
    parts = [
        *_section("Claims and what shows them", _claims(study, page, _command(facts))),
        *_section("Artifact", _artifact(study, facts)),
        *_section("Hardware and software of the measurement", _machine(study, facts)),
        *_section("Install, measure, print", _steps(facts)),
        *_section("Time and space", _cost(facts, plan)),
        *_section("Reduced path", _reduced(study)),
    ]
    return "\n".join(parts) + "\n"


def _read(path: Path, hint: str) -> dict[str, Any]:
    try:
        return read_object(path, hint)
    except FileNotFoundError:
        raise WeirError("is missing", file=str(path), hint=hint, exit_code=2) from None


def _section(title: str, lines: Iterator[str]) -> Iterator[str]:
    yield f"\n\\section{{{title}}}"
    yield from lines


def _table(heads: Sequence[str], widths: str, rows: Sequence[Sequence[object]]) -> Iterator[str]:
    yield f"\\begin{{longtable}}{{{widths}}}\\toprule"
    yield " & ".join(heads) + r" \\\midrule\endhead\bottomrule\endfoot"
    yield from (" & ".join(map(latex, row)) + r" \\" for row in rows)
    yield r"\end{longtable}"


def _command(facts: Mapping[str, Any]) -> str:
    suites = ",".join(suite["suite"] for suite in facts.get("suites") or ())
    if not suites:
        return "snakemake --cores all paper"
    return (
        f"snakemake --cores all --config site={facts['site']['site']} suites={suites} scale={facts['scale']}"
    )


def _claims(study: Path, page: Mapping[str, Any], command: str) -> Iterator[str]:
    """Claims of papers that these records decide; the best rates of the page if there are none."""
    rows = [_claim(row, command) for row in _rows(study / "claims.csv") if row["verdict"] in _REPRODUCED]
    if not rows:
        yield "These records decide no claim of a paper. Their best rates are:"
        rows = [_rate(one, command) for one in page.get("answers") or ()]
    widths = r"p{0.34\textwidth}p{0.25\textwidth}p{0.23\textwidth}p{0.1\textwidth}"
    yield from _table(("claim", "command", "expected, with tolerance", "shown in"), widths, rows)


def _rows(path: Path) -> list[dict[str, str]]:
    if not path.is_file():
        return []
    with path.open(encoding="utf-8", newline="") as stream:
        return [row for row in csv.DictReader(stream) if row["evidence"] == "these records"]


def _claim(row: Mapping[str, str], command: str) -> tuple[str, ...]:
    value = _interval(row["effect"], row["lo"], row["hi"], row["unit"])
    return row["says"], command, f"{row['bound']}; measured {value}: {row['verdict']}", "claims"


def _rate(one: Mapping[str, Any], command: str) -> tuple[str, ...]:
    best = one["best"]
    value = _interval(best["value"], best.get("lo"), best.get("hi"), best["unit"])
    return f"Best {one['access']} rate of {one['target']}: {best['setting']}", command, value, "answers"


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
    held = f"{LOCK}, SHA-256 {file_sha256(lock)}" if lock.is_file() else "none: packages of the system"
    yield from _items(
        ("Digest of the study (SHA-256 of SHA256SUMS)", facts["digest"]),
        ("Code", f"weir {facts['weir_version']}, Apache-2.0; the bundle holds it"),
        ("Records", f"{facts['records']}: " + ", ".join(f"{n} {v}" for v, n in facts["verdicts"].items())),
        ("Lock of the stacks", held),
        ("Seeds of the random order", ", ".join(map(str, facts.get("seeds") or ())) or "not recorded"),
        ("Check", f"weir verify, with --digest {facts['digest'][:16]}"),
    )


def _machine(study: Path, facts: Mapping[str, Any]) -> Iterator[str]:
    for one in facts.get("machines") or ():
        memory = f", {one['memory_bytes'] / _GIB:.1f} GiB" if one.get("memory_bytes") else ""
        cores = f"{one.get('processor')}, {one.get('cores')} cores{memory}"
        about = f"{cores}; {one.get('system')}, {one.get('kernel')}"
        yield from _items((f"Node {one['node']}", about))
    for one in facts.get("targets") or ():
        emulated = "; emulated" if one.get("emulated") else ""
        about = f"{one.get('description')}; {one.get('file_system') or 'file system not recorded'}{emulated}"
        yield from _items((f"Target {one['target']}", about))
    for one in facts.get("stacks") or ():
        programs = ", ".join(one.get("programs") or ())
        yield from _items((f"Stack {one['stack']}", f"{one.get('description')}; {programs}"))
    yield "Mounts, options and loaded libraries of each run are in its \\texttt{run.json}."


def _steps(facts: Mapping[str, Any]) -> Iterator[str]:
    yield r"\begin{verbatim}"
    yield "make setup build            # or: spack install weir"
    yield _command(facts)
    yield "weir verify STUDY           # checks that no file was edited"
    yield "weir compare THIS STUDY     # compares your study with this one"
    yield r"\end{verbatim}"


def _cost(facts: Mapping[str, Any], plan: Mapping[str, Any]) -> Iterator[str]:
    yield from _items(
        ("Measured", f"{facts.get('began') or 'not recorded'} to {facts.get('ended') or 'not recorded'}"),
        (
            "Executions",
            f"{facts.get('finished_executions', 'not recorded')} in {facts.get('cells', '?')} cells",
        ),
    )
    cost = plan.get("cost") or {}
    for key, name in (("written_bytes", "Written"), ("read_bytes", "Read"), ("peak_bytes", "Peak space")):
        if key in cost:
            yield from _items((name, f"{cost[key] / _GIB:.3g} GiB"))


def _reduced(study: Path) -> Iterator[str]:
    yield "From the bundle, offline and without measuring; figures need R:"
    yield r"\begin{verbatim}"
    yield f"weir reproduce {study.resolve().name}.crate.zip --out again"
    yield r"\end{verbatim}"
    yield "It reproduces the tables and figures and compares them byte for byte."


def _items(*pairs: tuple[str, object]) -> Iterator[str]:
    yield from (f"\\paragraph{{{latex(name)}.}} {latex(value)}" for name, value in pairs)
