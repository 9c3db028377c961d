"""The files of a result: result_summary.txt of the scripts (to 2019, "GB/s" means GiB/s) and of the C
application (since 2020), and its result.txt: a section for each phase, with its score, times and command
line."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from weir.base.errors import InputError
from weir.decide.io500.result import (
    PHASES,
    WRITE_PHASES,
    ConfigHash,
    Io500Phase,
    Io500Result,
    Published,
    ScoreHash,
    half_step,
    hash_of,
)
from weir.records.model import Row
from weir.records.printed_values import real
from weir.tools import tools

_NUMBER = r"([-+0-9.eE]+|-?nan|-?inf)"
_PHASE = re.compile(
    rf"\[(?P<mark>[^\]]*)\]\s+(?:(?:BW|IOPS)\s+phase\s+\d+\s+)?(?P<name>[\w-]+)\s+{_NUMBER}"
    rf"\s+(?P<unit>\S+)\s*:\s*time\s+{_NUMBER}\s+seconds(?P<rest>.*)",
    re.IGNORECASE,
)
_SCORE = re.compile(
    rf"\[SCORE(?P<mark>[^\]X]*)\]\s+Bandwidth\s+{_NUMBER}\s+\S+\s*:\s*IOPS\s+{_NUMBER}\s+\S+"
    rf"\s*:\s*TOTAL\s+{_NUMBER}(?P<rest>.*)"
)
_RANDOM_READ = re.compile(r"ior-rnd4k(-easy)?-read", re.IGNORECASE)
# The scripts divided by 2^30 and printed GB/s.
_UNITS = {"gib/s": "GiB/s", "gb/s": "GiB/s", "kiops": "kIOPS"}
_ONE_RUN = "keep the lines of one run in one file"
_HINT = "a phase is printed as '[RESULT] ior-easy-write 1.5 GiB/s : time 300.1 seconds'"


def is_summary(text: str) -> bool:
    """Whether it has lines of phases; a page has blanks before them. An archive of such files is none."""
    return "\0" not in text and re.search(r"^[ \t]*\[RESULT", text, re.MULTILINE) is not None


def summaries_in(text: str) -> list[str]:
    """The text of each run, its lines where they are in the whole: a page or the output of a job may hold
    several. A run begins with its version, with the phase that the run before began with, or behind a score;
    what only repeats the run before, as the scripts of 2017 do, is that run."""
    parts: list[tuple[int, dict[str, str]]] = []
    known: dict[str, str] = {}
    has_score = False
    lines = text.splitlines()
    for number, line in enumerate(map(str.strip, lines)):
        phase = _PHASE.match(line)
        name, value = (phase["name"], phase[3]) if phase else ("", "")
        is_other = phase and known.get(name) != value and (has_score or name == next(iter(known), ""))
        if not parts or (known and (is_other or line.startswith("IO500 version"))):
            known, has_score = {}, False
            parts.append((number, known))
        if phase:
            known.setdefault(name, value)
        has_score = has_score or _SCORE.match(line) is not None
    begins = [
        begin
        for at, (begin, phases) in enumerate(parts)
        if at == 0 or not phases.items() <= parts[at - 1][1].items()
    ]
    return [
        "\n" * begin + "\n".join(lines[begin:end])
        for begin, end in zip(begins, [*begins[1:], len(lines)], strict=True)
    ]


def read_summary(text: str, file: Path) -> Io500Result:
    phases: dict[str, Io500Phase] = {}
    published: Published | None = None
    version = ""
    random_read_gib_s: float | None = None
    for number, line in enumerate(map(str.strip, text.splitlines()), 1):
        if line.startswith("IO500 version"):
            version = line.removeprefix("IO500 version").strip()
        elif match := _SCORE.match(line):
            published = _published_in_lines(match, file, number)
        elif match := _PHASE.match(line):
            phase = _phase_of_line(match, file, number)
            if phase is None:
                if _RANDOM_READ.fullmatch(match["name"]):
                    random_read_gib_s = number_at_least_zero(match[3], file, number, match["name"])
                continue
            # The scripts of 2017 print each line when its phase ends, and all again after the last one.
            if phases.get(phase.name, phase) != phase:
                message = "the phase is printed twice, with different values"
                raise wrong_line(message, file, number, phase.name, _ONE_RUN)
            phases[phase.name] = phase
        elif re.match(r"\[RESULT|\[SCORE(?!X)", line):
            raise wrong_line(f"the line cannot be read: {line[:80]!r}", file, number)
    if len(runs := summaries_in(text)) > 1:
        begin = len(runs[1]) - len(runs[1].lstrip("\n")) + 1
        raise wrong_line("another run begins", file, begin, hint=_ONE_RUN)
    return Io500Result(file, phases, published, version, random_read_gib_s=random_read_gib_s)


def _phase_of_line(match: re.Match[str], file: Path, line: int) -> Io500Phase | None:
    name = match["name"].replace("-", "_").lower()
    if name not in PHASES:  # optional phases and the timestamp
        return None
    unit = _UNITS.get(match["unit"].lower())
    if unit != PHASES[name]:
        message = f"the unit of {name} is {match['unit']}, which is not {PHASES[name]}"
        raise wrong_line(message, file, line, name)
    value = number_at_least_zero(match[3], file, line, name)
    time_s = number_at_least_zero(match[5], file, line, name)
    invalid = "invalid" in (match["mark"] + match["rest"]).lower()
    return Io500Phase(name, value, half_step(match[3]), time_s, marked_invalid=invalid)


def _published_in_lines(match: re.Match[str], file: Path, line: int) -> Published:
    bandwidth, iops, total = (number_at_least_zero(match[at], file, line, "SCORE") for at in (2, 3, 4))
    invalid = "invalid" in (match["mark"] + match["rest"]).lower()
    return Published(total, bandwidth, iops, invalid)


def number_at_least_zero(text: str, file: Path, line: int, key: str) -> float:
    value = real(text)
    if value is None or value < 0:
        hint = "a run that failed has no score; name the directory of a run that ended"
        raise wrong_line(f"{text} is not a finite number that is at least 0", file, line, key, hint)
    return value


def wrong_line(message: str, file: Path, line: int, key: str | None = None, hint: str = _HINT) -> InputError:
    return InputError(message, file=file, line=line, key=key, hint=hint)


# The option of the program of a phase that requests the stonewall in seconds, by the unit of the phase.
_STONEWALL = {"GiB/s": re.compile(r"\s-D[ =]?(\d+)"), "kIOPS": re.compile(r"\s-W[ =]?(\d+)")}
# Columns that the commands of result.txt fill.
_REQUESTED = (
    *("api", "layout", "order", "xfer_bytes", "block_bytes", "segments", "collective", "sync", "direct"),
    *("item", "directories"),
)
_RUN = "run"  # before the first section in files of 2020


@dataclass(frozen=True)
class _Value:
    text: str
    line: int


_Sections = Mapping[str, Mapping[str, _Value]]


def is_ini(text: str) -> bool:
    """A result has scores in its sections; a configuration file has the sections and no score."""
    return (
        "\0" not in text
        and re.search(r"^\[[a-z]+-(easy|hard)-write\]", text, re.MULTILINE) is not None
        and re.search(r"^score\s*=", text, re.MULTILINE) is not None
    )


def read_ini(text: str, file: Path) -> Io500Result:
    sections = _sections(text, file)
    phases = {
        name: _phase(name, values, file)
        for name, values in ((section.replace("-", "_"), values) for section, values in sections.items())
        if name in PHASES and "score" in values
    }
    run = sections.get(_RUN, {})
    procs = run.get("procs")
    version = run["version"].text if "version" in run else ""
    mode = f" ({run['mode'].text})" if "mode" in run else ""
    return Io500Result(
        file,
        phases,
        _published(sections.get("SCORE", {}), file),
        (version + mode).strip(),
        procs=_whole(procs, file) if procs else None,
        score_hash=_score_hash(sections),
        config_hash=ConfigHash(run["config-hash"].text) if "config-hash" in run else None,
    )


def _score_hash(sections: _Sections) -> ScoreHash | None:
    """The hash covers the version, the scores of the phases that count, and the totals, no optional phase.

    In a version of 2021 it does not cover the means MD and BW.
    """
    closing = sections.get("SCORE", {})
    printed = closing["hash"].text if "hash" in closing else ""
    version = sections.get(_RUN, {}).get("version")
    if not re.fullmatch(r"[0-9A-Fa-f]{1,8}", printed) or version is None:
        return None
    pairs = [("version", version.text)]
    for section, values in sections.items():
        if section.replace("-", "_") in PHASES and "score" in values:
            pairs.append((section, _marked(values["score"])[0]))
    if "SCORE" in closing and _marked(closing["SCORE"])[1]:
        pairs.append(("valid", "NO"))
    totals = {key: _marked(closing[key])[0] for key in ("SCORE", "MD", "BW") if key in closing}
    computed = (hash_of([*pairs, *totals.items()]), hash_of([*pairs, *list(totals.items())[:1]]))
    return ScoreHash(int(printed, 16), computed)


def _sections(text: str, file: Path) -> _Sections:
    found: dict[str, dict[str, _Value]] = {_RUN: {}}
    current = found[_RUN]
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith((";", "#")):
            continue
        if section := re.fullmatch(r"\[([\w-]+)\]\s*", line):
            current = found.setdefault(section[1], {})
            continue
        key, equals, value = line.partition("=")
        if not equals:
            message = f"the line is neither a section nor a key with a value: {line.strip()[:80]!r}"
            hint = "lines are '[ior-easy-write]', 'score = 1.5' or '; comment'; is the file truncated?"
            raise wrong_line(message, file, number, hint=hint)
        current[key.strip()] = _Value(value.strip(), number)
    return found


def _phase(name: str, values: Mapping[str, _Value], file: Path) -> Io500Phase:
    number, invalid = _marked(values["score"])
    value = number_at_least_zero(number, file, values["score"].line, name)
    taken = values.get("t_delta")
    time_s = number_at_least_zero(taken.text, file, taken.line, name) if taken else None
    command = values["exe"].text if "exe" in values else ""
    wall = _STONEWALL[PHASES[name]].search(command) if name in WRITE_PHASES else None
    stonewall_s = float(wall[1]) if wall else None
    return Io500Phase(name, value, half_step(number), time_s, stonewall_s, invalid, _columns(name, command))


def _columns(phase: str, command: str) -> Row:
    """The columns that the command of a phase fills."""
    tool = tools().get(phase.partition("_")[0])
    requested = tool.requested_by(command) if tool and command else {}
    size = requested.get("read_bytes" if phase.endswith("_read") else "write_bytes")
    known = {name: requested.get(name) for name in _REQUESTED}
    known |= {"xfer_bytes": size} if size else {}
    return {name: value for name, value in known.items() if value is not None}


def _published(values: Mapping[str, _Value], file: Path) -> Published | None:
    if "SCORE" not in values:
        return None
    numbers: dict[str, float] = {}
    for key in ("SCORE", "BW", "MD"):
        if key in values:
            numbers[key] = number_at_least_zero(_marked(values[key])[0], file, values[key].line, key)
    invalid = any(_marked(values[key])[1] for key in numbers)
    return Published(numbers["SCORE"], numbers.get("BW"), numbers.get("MD"), invalid)


def _marked(value: _Value) -> tuple[str, bool]:
    """The number, and whether IO500 calls it invalid beside it."""
    number, _, rest = value.text.partition(" ")
    return number, "invalid" in rest.lower()


def _whole(value: _Value, file: Path) -> int:
    if not value.text.isdecimal():
        hint = "procs is the number of processes, such as 480"
        raise wrong_line(f"{value.text!r} is not a whole number", file, value.line, "procs", hint)
    return int(value.text)
